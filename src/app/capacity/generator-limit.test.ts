import { expect, test } from 'vitest';
import { readObjectives } from '../../capacity/objectives/objective.ts';
import { affects } from './generator-limit.ts';

const objectivesOf = (...texts: string[]) => {
  const read = readObjectives(texts);
  if (!('objectives' in read)) throw new Error(read.problems.join());
  return read.objectives;
};

test.each([
  [['turn.p95 < 2s'], 'instants_late', false],
  [['firstToken.p95 < 1s'], 'instants_late', false],
  [['turn.p95 < 2s', 'gap.p99 < 80ms'], 'instants_late', true],
  [['turn.p95 < 2s'], 'turns_late', true],
  [['turn.p95 < 2s'], 'gc_pauses', false],
])('with %j, a step with %s is not evidence: %s', (texts, code, expected) => {
  expect(affects({ code }, objectivesOf(...texts))).toBe(expected);
});
