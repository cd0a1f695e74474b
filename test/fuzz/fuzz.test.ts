import { expect, test } from 'vitest';
import { isWhole } from '../support/trials.ts';
import { fuzzes } from './fuzzes.ts';
import { journaledIntervals } from './journals.ts';

/** Another seed by hand: FUZZ_SEED=123. What fails names the seed and the path to its input. */
const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_101);

test('the seed is a whole number', () => expect(Number.isInteger(seed)).toBe(true));

test('a fuzzed journal contains intervals', () => expect(journaledIntervals).toBeGreaterThan(2));

test.each(fuzzes)(`$name (seed ${String(seed)})`, async ({ attempt, runs }) =>
  attempt({ seed, runs: isWhole ? runs : Math.ceil(runs / 4) }),
);
