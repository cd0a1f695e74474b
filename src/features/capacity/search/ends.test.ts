import { expect, test } from 'vitest';
import { shownSteps } from '../test/shown-steps.ts';
import { claimsOf, isConfirmed } from './ends.ts';

const claims = (...steps: Parameters<typeof shownSteps>[0]) => {
  const { holding, broken } = claimsOf(shownSteps(steps));
  return { holding: holding.map(({ load }) => load), broken: broken.map(({ load }) => load) };
};

test('a load holds only if no lower one broke, and breaks only if no higher one held', () => {
  expect(claims({ load: 10, verdict: 'holds' }, { load: 20, verdict: 'broken' })).toEqual({
    holding: [10],
    broken: [20],
  });
  expect(claims({ load: 20, verdict: 'holds' }, { load: 10, verdict: 'broken' })).toEqual({ holding: [], broken: [] });
  expect(claims({ load: 10, verdict: 'holds' }, { load: 10, verdict: 'broken' })).toEqual({ holding: [], broken: [] });
});

test('quick steps, and steps after a broken one, claim nothing', () => {
  const recovering = { load: 10, verdict: 'holds', purpose: 'recover' } as const;
  expect(claims(recovering, { load: 10, verdict: 'holds', certainty: 'quick' })).toEqual({ holding: [], broken: [] });
});

test('an end is shown by two steps', () => {
  const { holding } = claimsOf(
    shownSteps([
      { load: 10, verdict: 'holds' },
      { load: 8, verdict: 'holds' },
      { load: 10, verdict: 'holds' },
    ]),
  );
  expect(holding.map((claim) => [claim.load, claim.steps, isConfirmed(claim)])).toEqual([
    [8, [2], false],
    [10, [1, 3], true],
  ]);
});

test('a step that was cut short before anything could be judged shows nothing', () => {
  const [held, short] = shownSteps([
    { load: 10, verdict: 'holds' },
    { load: 10, verdict: 'undecided' },
  ]);
  if (held === undefined || short === undefined) throw new Error('two steps');
  const window = { errors: [], times: 0 };
  const pooled = { verdict: 'holds' as const, objectives: held.step.objectives };
  const stepsOf = (...shown: (typeof held)[]) => claimsOf(shown).holding.map(({ steps }) => steps);
  expect(stepsOf({ ...held, window, pooled }, short)).toEqual([[1]]);
  expect(stepsOf({ ...held, window, pooled }, { ...short, window, pooled })).toEqual([[1, 2]]);
});
