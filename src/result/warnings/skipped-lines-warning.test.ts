import { expect, test } from 'vitest';
import { memoryTrace } from '../../../test/support/memory-trace.ts';
import { settle } from '../../plan/settle.ts';
import { skippedLinesWarnings } from './skipped-lines-warning.ts';

const why = 'is no JSON';

function planWith(count: number) {
  const whole = memoryTrace([{ atMs: 0, turns: [[0, 9, 9]] }]);
  const first = Array.from({ length: Math.min(count, 10) }, (_, at) => ({ line: at + 2, why }));
  const trace = { ...whole, file: 'monday.csv', facts: { ...whole.facts, malformed: { count, first } } };
  const load = { trace: (() => trace) as unknown as string };
  return settle({ name: 'x', load }, { flags: {}, environment: {} }).plan;
}

test('lines of a trace that were left out are a warning, with the first five of them', () => {
  expect(skippedLinesWarnings(planWith(7))).toEqual([
    {
      code: 'trace_lines_left_out',
      message: `7 malformed lines of monday.csv were left out (${[2, 3, 4, 5, 6].map((line) => `line ${String(line)}: ${why}`).join('; ')}; ...). The other requests were replayed.`,
      remedy: 'Correct or remove these lines.',
    },
  ]);
  expect(skippedLinesWarnings(planWith(1))[0]?.message).toBe(
    `1 malformed line of monday.csv was left out (line 2: ${why}). The other requests were replayed.`,
  );
});

test('a whole trace, and no file at all, are no warning', () => {
  expect(skippedLinesWarnings(planWith(0))).toEqual([]);
  const { plan } = settle({ name: 'x', messages: ['hi'], sessions: 1 }, { flags: {}, environment: {} });
  expect(skippedLinesWarnings(plan)).toEqual([]);
});
