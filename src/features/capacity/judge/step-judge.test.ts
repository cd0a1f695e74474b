import { expect, test } from 'vitest';
import { randomOf } from '../../../base/random.ts';
import { capacityModels, objectiveOf, openModel } from '../test/capacity-models.ts';
import { ModelledStep } from '../test/modelled-step.ts';
import { beatsInFlight } from '../test/capacity-beats.ts';
import { seriesOf } from '../../../../test/support/autoregressive-series.ts';
import type { Beat } from './player.ts';
import { StepJudge, type StepJudgement } from './step-judge.ts';

/** Verdict of a full step of a model at a load, with its time. */
function judge(at: number, { load, maxMs = 3_600_000 }: { load: number; maxMs?: number }) {
  const model = capacityModels[at];
  if (model === undefined) throw new Error('unknown model');
  const { workload, service } = openModel(model, 5);
  const step = new ModelledStep(workload, service, { load, startsAt: 0, random: randomOf(5, 3) });
  const objectives = [objectiveOf(model)];
  const watch = new StepJudge({ objectives, certainty: 'full', isOpen: model.by === 'rate', maxMs });
  let [seconds, said] = [0, 'go'];
  for (; said === 'go' && seconds * 1000 < maxMs; seconds++) said = watch.beat(step.beat());
  const { verdict, isSaturated }: StepJudgement = watch.judgement;
  return { verdict, isSaturated, seconds };
}

test('holds well below the limit, but only after minutes', () => {
  const { verdict, seconds } = judge(0, { load: 5 });
  expect(verdict).toBe('holds');
  expect(seconds).toBeGreaterThan(240);
});

test('is saturated at once if more turns arrive than are served', () => {
  const { verdict, isSaturated, seconds } = judge(0, { load: 16 });
  expect([verdict, isSaturated]).toEqual(['broken', true]);
  expect(seconds).toBeLessThan(60);
});

test('breaks in closed load, without saturation', () => {
  expect(judge(3, { load: 140 })).toMatchObject({ verdict: 'broken', isSaturated: false });
});

test('breaks while the queue drifts if nearly all turns are over the limit, which a passing load shows in one of ten steps', () => {
  expect(judge(0, { load: 7.9, maxMs: 300_000 })).toMatchObject({ verdict: 'broken', isSaturated: false });
});

test('has the same verdict for intervals of a quarter of a second', () => {
  const model = capacityModels[3];
  if (model === undefined) throw new Error('unknown model');
  const { workload, service } = openModel(model, 5);
  const step = new ModelledStep(workload, service, { load: 140, startsAt: 0, random: randomOf(5, 3) });
  const settings = { objectives: [objectiveOf(model)], certainty: 'full', isOpen: false, maxMs: 3_600_000 } as const;
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

/** Seconds of a service that is far from its limit, closed load, 20 turns/s with 5 turns per session, including noise. */
function calmBeats(length: number, change: (beat: Beat, at: number) => Partial<Beat> = () => ({})): Beat[] {
  const levels = seriesOf(0.3, { length, seed: 8 }).map((value) => 40 + 2 * value);
  const beats = beatsInFlight(levels, { turns: 20, sessionsStarted: 4, sessionsEnded: 4, sessionsLive: 40 });
  return beats.map((beat, at) => {
    const each = {
      ...beat,
      turnMeanMs: 1000 + 5 * (levels[at] ?? 0),
      parts: [{ part: at % 40 === 0 ? 1 : 0, whole: 20 }],
    };
    return { ...each, ...change(each, at) };
  });
}

function follow(beats: readonly Beat[], settings: Partial<ConstructorParameters<typeof StepJudge>[0]> = {}) {
  const objectives = [objectiveOf({ objective: 'turn.p95 < 2s' })];
  const judge = new StepJudge({ objectives, certainty: 'full', isOpen: false, maxMs: 3_600_000, ...settings });
  let seconds = 0;
  for (const beat of beats) {
    seconds++;
    if (judge.beat(beat) === 'stop') break;
  }
  return { ...judge.judgement, seconds };
}

test('holds after a tenth of the maximum step, at most four minutes, or later if time remains', () => {
  const beats = calmBeats(600);
  expect(follow(beats).verdict).toBe('holds');
  expect(follow(beats).seconds).toBeGreaterThanOrEqual(240);
  const short = follow(beats, { maxMs: 120_000 });
  expect(short.verdict).toBe('holds');
  expect(short.seconds).toBeGreaterThanOrEqual(60);
  expect(short.seconds).toBeLessThanOrEqual(120);
});

test('is undecided before its first sessions have ended', () => {
  const { verdict, reason } = follow(calmBeats(600, () => ({ sessionsEnded: 0 })));
  expect([verdict, reason]).toEqual(['undecided', expect.stringContaining('first sessions have not ended')]);
});

test('does not hold while its queue drifts, however few turns are slow', () => {
  const walk = seriesOf(1, { length: 600, seed: 2 });
  const { verdict } = follow(calmBeats(600, (_, at) => ({ turnsInFlight: 200 + 3 * (walk[at] ?? 0) })));
  expect(verdict).toBe('undecided');
});

test('does not hold while latency rises, nor break while it falls', () => {
  const rising = calmBeats(600, (_, at) => ({ turnMeanMs: 1000 + at }));
  expect(follow(rising)).toMatchObject({
    verdict: 'undecided',
    reason: expect.stringContaining('not steady') as string,
  });
  const slow = { parts: [{ part: 8, whole: 20 }] };
  const falling = calmBeats(600, (_, at) => ({ ...slow, turnMeanMs: 3000 * 0.99 ** at }));
  expect(follow(falling).verdict).toBe('undecided');
  expect(follow(calmBeats(600, () => slow)).verdict).toBe('broken');
});

test('a share that must not be exceeded breaks the step at once', () => {
  const objectives = [objectiveOf({ objective: 'integrity.failed < 1' })];
  const beats = calmBeats(100, (_, at) => ({ parts: [{ part: at === 30 ? 1 : 0, whole: 20 }] }));
  expect(follow(beats, { objectives })).toMatchObject({ verdict: 'broken', seconds: 31 });
});

test('a guard breaks a step if clearly more turns fail, but is not required to be shown to hold', () => {
  const [latency] = [objectiveOf({ objective: 'turn.p95 < 2s' })];
  const objectives = [latency, { ...objectiveOf({ objective: 'turns.failedShare < 5%' }), isGuard: true }];
  const failing = (part: number, whole: number) =>
    calmBeats(600, ({ parts }) => ({ parts: [...parts, { part, whole }] }));
  expect(follow(failing(8, 20), { objectives }).verdict).toBe('broken');
  expect(follow(failing(0, 0.01), { objectives }).verdict).toBe('holds');
  const falling = failing(8, 20).map((beat, at) => ({ ...beat, turnMeanMs: 3000 * 0.99 ** at }));
  expect(follow(falling, { objectives }).verdict).toBe('undecided');
});

test('several objectives share the error probability, because any may break by chance', () => {
  const one = objectiveOf({ objective: 'turn.p95 < 2s' });
  const beats = calmBeats(300, ({ parts }) => ({
    parts: Array.from({ length: 8 }, () => parts[0] ?? { part: 0, whole: 1 }),
  }));
  const highOf = (count: number): number => {
    const objectives = Array.from({ length: count }, () => one);
    return follow(beats, { objectives }).objectives[0]?.high ?? 0;
  };
  expect(highOf(8)).toBeGreaterThan(1.05 * highOf(1));
});

test('abandons a step late if it would need far longer than the remaining time, because its turns count with the next step', () => {
  const onTheLimit = calmBeats(3600, (_, at) => ({ parts: [{ part: 1 + (at % 2 === 0 ? 0.2 : -0.2), whole: 20 }] }));
  const { verdict, seconds } = follow(onTheLimit, { maxMs: 1_200_000 });
  expect(verdict).toBe('undecided');
  expect(seconds).toBeGreaterThanOrEqual(1080);
  expect(seconds).toBeLessThan(1200);
});

test('reports the needed number of turns for a share without any event', () => {
  const objectives = [objectiveOf({ objective: 'turns.failedShare < 1%' })];
  const beats = calmBeats(80, () => ({ turns: 1, parts: [{ part: 0, whole: 1 }] }));
  const { verdict, reason } = follow(beats, { objectives });
  expect([verdict, reason]).toEqual([
    'undecided',
    expect.stringMatching(/^too few turns: \d+ of at least \d+ for turns\.failedShare < 1%$/),
  ]);
});
