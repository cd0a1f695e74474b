import { expect, test } from 'vitest';
import { memoryTrace } from '../../../test/support/memory-trace.ts';
import { resolveScenario } from '../../plan/resolve-scenario.ts';
import { loadText } from '../../report/plan/plan-text.ts';
import type { TraceFacts } from '../../trace/trace.ts';
import { traceWarnings } from './trace-warnings.ts';

function planWith(facts: Partial<TraceFacts>, load: object = {}) {
  const whole = memoryTrace([{ atMs: 0, turns: [[0, 9, 9]] }]);
  const trace = { ...whole, file: 'monday.jsonl', facts: { ...whole.facts, ...facts } };
  return resolveScenario(
    { name: 'x', load: { trace: (() => trace) as unknown as string, ...load } },
    { flags: {}, environment: {} },
  ).plan;
}

test('an assumed unit is a warning with its reason, and shown', () => {
  const plan = planWith({ times: 'seconds (assumed)', unitDoubt: 'they have fractions' });
  expect(traceWarnings(plan)).toMatchObject([
    {
      code: 'trace_unit_assumed',
      message: 'Times of monday.jsonl were read as seconds (assumed): they have fractions.',
    },
  ]);
  expect(loadText(plan)).toContain('times: seconds (assumed)');
});

test.each([
  ['seconds (assumed)', "unit: 's'"],
  ['microseconds (assumed)', "unit: 'us'"],
])('the remedy states the unit that was assumed: %s', (times, stated) => {
  expect(traceWarnings(planWith({ times, unitDoubt: 'x' }))[0]?.remedy).toContain(stated);
});

test('lines that contradict themselves are named', () => {
  const first = [{ line: 7, why: 'has 3 hash_ids' }];
  const plan = planWith({ doubtful: { count: 2, first } });
  expect(traceWarnings(plan).map(({ message }) => message)).toEqual([
    '2 lines of monday.jsonl contradict themselves (line 7 has 3 hash_ids; ...). Their number of input tokens is used.',
  ]);
  expect(loadText(plan)).toContain('2 doubtful lines');
});

test.each([
  [{ whole: 4, fresh: 0 }, 'input tokens: the whole conversation (assumed)', 0],
  [{ whole: 0, fresh: 4 }, 'input tokens: the message alone (assumed)', 0],
  [{ whole: 3, fresh: 1 }, 'input tokens: the whole conversation in 3 of 4 sessions (assumed)', 1],
  [{ whole: 1, fresh: 3 }, 'input tokens: the message alone (assumed)', 1],
])('the reading of input tokens is shown, and doubted if sessions differ: %j', (inputs, words, warnings) => {
  const plan = planWith({ inputs });
  expect(loadText(plan)).toContain(words);
  expect(traceWarnings(plan)).toHaveLength(warnings);
  const stated = planWith({ inputs }, { columns: { input: 'fresh' } });
  expect(loadText(stated)).toContain('input tokens: the message alone)');
  expect(traceWarnings(stated)).toEqual([]);
});

test('a trace without doubts has no warning', () => {
  expect(traceWarnings(planWith({}))).toEqual([]);
});
