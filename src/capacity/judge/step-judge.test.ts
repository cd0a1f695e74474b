import { expect, test } from 'vitest';
import { randomOf } from '../../base/random.ts';
import { capacityModels, objectiveOf, openModel } from '../../../test/support/capacity-models.ts';
import { ModelledStep } from '../../../test/support/modelled-step.ts';
import { StepJudge, type StepJudgement } from './step-judge.ts';

/** What a full step says of a model at a load, and when. */
function judge(at: number, { load, mostMs = 3_600_000 }: { load: number; mostMs?: number }) {
  const model = capacityModels[at];
  if (model === undefined) throw new Error('there is no such model');
  const { workload, service } = openModel(model, 5);
  const step = new ModelledStep(workload, service, { load, startsAt: 0, random: randomOf(5, 3) });
  const objectives = [objectiveOf(model)];
  const watch = new StepJudge({ objectives, certainty: 'full', isOpen: model.by === 'rate', mostMs });
  let [seconds, said] = [0, 'go'];
  for (; said === 'go' && seconds * 1000 < mostMs; seconds++) said = watch.beat(step.beat());
  const { verdict, isSaturated }: StepJudgement = watch.judgement;
  return { verdict, isSaturated, seconds };
}

test('holds well below the limit, and not before minutes have passed', () => {
  const { verdict, seconds } = judge(0, { load: 5 });
  expect(verdict).toBe('holds');
  expect(seconds).toBeGreaterThan(240);
});

test('is saturated where more comes than is served, at once', () => {
  const { verdict, isSaturated, seconds } = judge(0, { load: 16 });
  expect([verdict, isSaturated]).toEqual(['broken', true]);
  expect(seconds).toBeLessThan(60);
});

test('breaks in closed load, which has no saturation', () => {
  expect(judge(3, { load: 140 })).toMatchObject({ verdict: 'broken', isSaturated: false });
});

test('says nothing while the queue walks: minutes are nothing near saturation', () => {
  expect(judge(0, { load: 7.9, mostMs: 300_000 }).verdict).toBe('undecided');
});

test('says the same of beats of a quarter of a second', () => {
  const model = capacityModels[3];
  if (model === undefined) throw new Error('there is no such model');
  const { workload, service } = openModel(model, 5);
  const step = new ModelledStep(workload, service, { load: 140, startsAt: 0, random: randomOf(5, 3) });
  const settings = { objectives: [objectiveOf(model)], certainty: 'full', isOpen: false, mostMs: 3_600_000 } as const;
  const [whole, parted] = [new StepJudge(settings), new StepJudge(settings)];
  for (let second = 0; second < 2000; second++) {
    const beat = step.beat();
    whole.beat(beat);
    for (let part = 0; part < 4; part++) {
      const parts = beat.parts.map((each) => ({ part: each.part / 4, whole: each.whole / 4 }));
      const [startMs, lengthMs] = [beat.startMs + part * 250, 250];
      const ends = { sessionsStarted: beat.sessionsStarted / 4, sessionsEnded: beat.sessionsEnded / 4 };
      parted.beat({ ...beat, ...ends, startMs, lengthMs, turns: beat.turns / 4, parts });
    }
  }
  expect(parted.judgement.verdict).toBe(whole.judgement.verdict);
});
