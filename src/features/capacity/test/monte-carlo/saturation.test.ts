import { expect, test } from 'vitest';
import { randomOf } from '../../../../base/random.ts';
import type { Beat } from '../../judge/player.ts';
import { isSaturated } from '../../judge/steadiness.ts';
import { capacityModels, openModel } from '../capacity-models.ts';
import { ModelledStep } from '../modelled-step.ts';
import { isWhole } from '../../../../../test/support/trials.ts';

/** M/M/20 with 500 ms a turn and 5 turns a session: 8 sessions a second are all that it can take. */
const [model] = capacityModels;
const count = isWhole ? 300 : 30;

/** Reports whether any check within twenty minutes finds a queue that grows without bound. */
function alarms(load: number, seed: number): boolean {
  if (model === undefined) throw new Error('there is no such model');
  const { workload, service } = openModel(model, 900 + seed);
  const step = new ModelledStep(workload, service, { load, startsAt: 0, random: randomOf(seed, 3) });
  const beats: Beat[] = [];
  for (let next = 1; beats.length < 1200;) {
    beats.push(step.beat());
    if (beats.length < next) continue;
    next = Math.ceil(1.2 * beats.length);
    if (isSaturated(beats)) return true;
  }
  return false;
}

const alarmsAt = (load: number): number =>
  Array.from({ length: count }, (_, seed) => alarms(load, seed)).filter(Boolean).length;

test('a queue at 95 % of its service is not taken for one that grows without bound', () => {
  expect(alarmsAt(7.6)).toBe(0);
});

test('a queue at 112 % load is detected', () => {
  expect(alarmsAt(9)).toBe(count);
});
