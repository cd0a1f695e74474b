import { setTimeout as pass } from 'node:timers/promises';
import { digestOf } from './digest.ts';
import type { Script } from './script.ts';
import { planSession } from './session-plan.ts';

/** Sessions that are looked at. */
const sampled = [1, 2, 3];

/** So far apart the two looks are that tell what depends on the time. */
const apartMs = 5;

/**
 * A hash of what the first sessions say, which also shows what the hash of the plan does not: a module that functions of
 * the scenario import. `null` for a scenario that does not say the same twice.
 */
export async function sampleDigest(script: Script): Promise<string | null> {
  const first = digestOnce(script);
  await pass(apartMs);
  return first === digestOnce(script) ? first : null;
}

function digestOnce(script: Script): string | null {
  try {
    return digestOf(
      sampled.map((number) => {
        const session = planSession(script, number);
        const turns = Array.from({ length: session.foreseen }, (_, index) => index + 1);
        return turns.map((turn) => [session.message(turn), session.variableValues(turn) ?? null]);
      }),
    );
  } catch {
    // The run itself says what is wrong with the function.
    return null;
  }
}
