import { parseArgs } from 'node:util';
import { fuzzes } from '../test/fuzz/fuzzes.ts';

/** Runs the property tests for longer: `npm run bench:fuzz -- --seconds 60 --seed 1 --only parser`. */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    only: { type: 'string', default: '' },
  },
});

const seed = Number(values.seed);
const chosen = fuzzes.filter(({ name }) => name.includes(values.only));
const timeLimitMs = (Number(values.seconds) * 1000) / chosen.length;
console.log(`seed ${String(seed)}, ${(timeLimitMs / 1000).toFixed(1)} s per property`);

let broken = 0;
for (const { name, attempt } of chosen) {
  try {
    await attempt({ seed, runs: 100_000_000, timeLimitMs });
    console.log(`held    ${name}`);
  } catch (thrown) {
    broken++;
    console.log(`BROKEN  ${name}`);
    console.log(thrown);
  }
}
process.exitCode = broken === 0 ? 0 : 1;
