// Bars over time, as SVG; the texts beside it are HTML, so they keep their size.
import { h } from './dom.js';
import { rate, seconds } from './format.js';

// The smallest of 1, 2, 5, 10, 20, ... that is not below x.
export function niceAbove(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= x * (1 - 1e-9));
}

// `buckets` of {proved, failed}, newest last; together they are `span` seconds. `now`, a text: those of the last minute.
export function throughputPlot(buckets, span, now) {
  const width = span / buckets.length;
  const perMinute = buckets.map((bucket) => (bucket.proved * 60) / width);
  const peak = Math.max(...perMinute);
  const top = niceAbove(Math.max(peak, 1));
  const bars = buckets.map((bucket, i) => [
    bucket.proved > 0 && h('rect', { class: 'bar', x: i + 0.1, width: 0.8, y: 100 - (100 * perMinute[i]) / top, height: (100 * perMinute[i]) / top }),
    bucket.failed > 0 && h('rect', { class: 'bar-failed', x: i + 0.1, width: 0.8, y: 96, height: 4 }),
  ]);
  const failures = Math.round(buckets.reduce((sum, bucket) => sum + bucket.failed, 0));
  const summary = `Partitions proved a minute over the last ${seconds(span)}: at most ${rate(peak)}, ${now} in the last minute; jobs failed: ${failures}.`;
  return h('figure', { class: 'plot' },
    h('div', { class: 'plot-area' },
      h('div', { class: 'plot-scale', 'aria-hidden': 'true' }, [top, top / 2, 0].map((value) => h('span', null, String(value)))),
      h('svg', { viewBox: `0 0 ${buckets.length} 100`, preserveAspectRatio: 'none', role: 'img', 'aria-label': summary },
        [0, 50, 100].map((y) => h('line', { class: 'grid', x1: 0, x2: buckets.length, y1: y, y2: y })),
        bars)),
    h('div', { class: 'plot-times', 'aria-hidden': 'true' }, [1, 2 / 3, 1 / 3, 0].map((share) => h('span', null, share === 0 ? 'now' : `−${seconds(span * share)}`))),
    h('figcaption', null,
      h('span', { class: 'chip' }, h('i', { class: 'swatch bar' }), 'partitions proved a minute'),
      h('span', { class: 'chip' }, h('i', { class: 'swatch bar-failed' }), 'a job failed')));
}
