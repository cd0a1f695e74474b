import { randomLogNormal } from 'd3-random';
import peak from '../../scenarios/peak.ts';
import { randomOf } from '../../src/base/random.ts';
import type { Result } from '../../src/result/result.ts';
import { runVirtually, type ServiceModel } from './virtual-run.ts';

/** The result of the peak scenario in virtual time, against a service that misbehaves as its embedded one does. */
export async function peakResult(): Promise<Result> {
  const { result } = await runVirtually(peak, misbehaving());
  return result;
}

/** Faults of messages, and their frequency. */
const faults = [
  { upTo: 0.015, failing: { status: 429 } },
  { upTo: 0.025, failing: { status: 503 } },
  { upTo: 0.03, failing: { status: 500 } },
  { upTo: 0.032, failing: { failure: 'connection_lost' } },
  { upTo: 0.036, failing: { status: 400 } },
] as const;

function misbehaving(): ServiceModel {
  const random = randomOf(7);
  const latency = randomLogNormal.source(random)(Math.log(200), 0.4);
  return (operation) => {
    const draw = random();
    const fault = operation === 'message' ? faults.find(({ upTo }) => draw < upTo) : undefined;
    return { afterMs: latency(), ...fault?.failing };
  };
}
