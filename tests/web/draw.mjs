// Numbers drawn over many magnitudes; the seed is printed, CUZK_SEED repeats it.
import { randomInt } from 'node:crypto';

export function drawNumbers(n) {
  const seed = Number(process.env.CUZK_SEED ?? randomInt(2 ** 32));
  console.log(`seed ${seed} (repeat with CUZK_SEED)`);
  let state = seed >>> 0;
  const uniform = () => { // xorshift32
    state = (state || 1) >>> 0;
    state ^= state << 13; state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5; state >>>= 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: n }, () => 10 ** (18 * uniform() - 4));
}
