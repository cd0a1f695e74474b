import type { Ms } from '../../base/time.ts';
import type { Plan } from '../../plan/plan.ts';
import { ValueRegister } from './value-register.ts';

/** What the integrity guard of a run looks at: the same for all sessions. */
export interface Guard {
  seed: number;
  /** Whether it adds tags and codes to messages, which replies are then held to. */
  isActive: boolean;
  /** Whether the agent repeats them. */
  echo: Echo;
  /** The way to the list of turns in `data`; `undefined`: it is not looked at. */
  transcript: readonly string[] | undefined;
  /** How many of the latest turns that list holds; `undefined`: not known. */
  listedTurns: number | undefined;
  /** Variables whose values every reply must contain, and no other session's. */
  variables: readonly string[];
  /** The values of those variables, of all sessions. */
  register: ValueRegister;
  /** From how long an idle time on a forgotten code is amnesia. */
  amnesiaMs: Ms;
}

/** The guard of a plan; `undefined` when nothing is to be looked at. `onUnheard`: the agent does not repeat tags. */
export function openGuard(
  { seed, integrity, embedded }: Plan,
  onUnheard: () => void = () => undefined,
): Guard | undefined {
  const { mode, transcript, variables, idleMs } = integrity;
  if (mode === 'off') return undefined;
  return {
    seed,
    isActive: mode === 'active',
    // The embedded service is known to repeat tags.
    echo: new Echo({ isKnown: embedded !== null, onUnheard }),
    transcript: transcript?.split('.'),
    listedTurns: embedded === null || transcript !== 'conversation' ? undefined : listedBy(embedded),
    variables,
    register: new ValueRegister(),
    amnesiaMs: idleMs,
  };
}

/** Once the embedded service has forgotten turns, its list starts behind the gap, and the first turn is not in it. */
function listedBy({ conversationTurns, maxTurnsPerSession }: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof conversationTurns !== 'number' || typeof maxTurnsPerSession !== 'number') return undefined;
  return Math.min(conversationTurns, maxTurnsPerSession - 1);
}

/** The number of replies without a tag that shows that an agent does not repeat. */
export const echoPatience = 20;

/**
 * Whether the agent repeats tags, which no check can know before the first one: given every reply with a text, it
 * decides once, at the first reply with a tag or the twentieth without.
 *
 *     unknown -- a tag --> heard: every reply is held to the checks
 *        '---- 20 without --> unheard: none is
 */
class Echo {
  #state: 'unknown' | 'heard' | 'unheard';
  #withoutTag = 0;
  readonly #onUnheard: () => void;

  /** `isKnown`: the agent is known to repeat tags. */
  constructor({ isKnown, onUnheard }: { isKnown: boolean; onUnheard: () => void }) {
    this.#state = isKnown ? 'heard' : 'unknown';
    this.#onUnheard = onUnheard;
  }

  /** Whether a reply is held to the checks that need tags. */
  holds(hasTag: boolean): boolean {
    if (this.#state === 'unknown') this.#decide(hasTag);
    return this.#state === 'heard';
  }

  #decide(hasTag: boolean): void {
    if (hasTag) this.#state = 'heard';
    else if (++this.#withoutTag === echoPatience) {
      this.#state = 'unheard';
      this.#onUnheard();
    }
  }
}
