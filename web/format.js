// Numbers as people read them. Pure functions.

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

export function bytes(n) {
  let unit = 0;
  for (; n >= 1023.5 && unit + 1 < UNITS.length; unit++) n /= 1024;
  return `${unit === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${UNITS[unit]}`;
}

// 0.012 -> "12 ms", 8.25 -> "8.25 s", 95 -> "1 min 35 s", 7260 -> "2 h 1 min".
export function seconds(s) {
  if (s < 0.9995) return `${Math.round(s * 1000)} ms`;
  if (s < 9.995) return `${s.toFixed(2)} s`;
  if (s < 59.95) return `${s.toFixed(1)} s`;
  const whole = Math.round(s);
  if (whole < 3600) return pair(whole, 60, 'min', 's');
  const minutes = Math.floor(whole / 60);
  if (minutes < 48 * 60) return pair(minutes, 60, 'h', 'min');
  return pair(Math.floor(minutes / 60), 24, 'd', 'h');
}

function pair(n, base, large, small) {
  const rest = n % base;
  return `${Math.floor(n / base)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`;
}

// Whole seconds, so that the text does not flicker: "4 s", "2 h 1 min".
export const span = (s) => (s < 60 ? `${Math.floor(s)} s` : seconds(Math.floor(s)));

export const ago = (s) => (s < 1 ? 'now' : `${span(s)} ago`);

export const percent = (share) => `${share > 0 && share < 0.095 ? (share * 100).toFixed(1) : Math.round(share * 100)} %`;

export const count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');

export const rate = (n) => (n === 0 || n >= 100 ? String(Math.round(n)) : n >= 10 ? n.toFixed(1) : n.toFixed(2));

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
