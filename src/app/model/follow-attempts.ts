import { machineOffsetMs, systemClock } from '../../edge/clock.ts';
import type { AttemptFact } from '../../model-calls/attempt-facts.ts';
import { AttemptFollower } from '../../model-calls/attempt-follower.ts';
import type { Plan } from '../../plan/plan.ts';

interface Following {
  /** ID of the run. */
  run: string;
  deliver: (facts: readonly AttemptFact[]) => void;
  /** Omitted: every session is sampled. */
  isSampled?: ((session: number) => boolean) | undefined;
}

/** Reports the attempts of this process for the model service of a plan; `undefined`: it has none. */
export function followAttempts(
  { model }: Pick<Plan, 'model'>,
  { run, deliver, isSampled = () => true }: Following,
): AttemptFollower | undefined {
  if (model === undefined) return undefined;
  const { delivered, match } = model;
  const facts = { match: match ?? undefined, delivered };
  return new AttemptFollower({
    run: run.slice(0, 8),
    model: facts,
    clock: systemClock,
    offsetMs: machineOffsetMs,
    deliver,
    isSampled,
  });
}
