import type { Ms } from '../../base/time.ts';
import type { Plan } from '../../plan/plan.ts';
import { IdWatch } from './id-watch.ts';
import { ValueRegister } from './value-register.ts';

/** Settings and state of a run's integrity guard, shared by all sessions. */
export interface Guard {
  seed: number;
  /** Differs between runs, so that tags and codes of an earlier run are not expected ones. */
  salt: string;
  /** True if it adds tags and codes to messages, which replies must then contain. */
  isActive: boolean;
  /** Detects if the agent repeats tags. */
  echo: Echo;
  /** Path of the list of turns in `data`; `undefined`: not checked. */
  transcript: readonly string[] | undefined;
  /** Maximum number of latest turns in that list; `undefined`: unknown. */
  listedTurns: number | undefined;
  /** Variables whose values every reply must contain, and no other session's. */
  variables: readonly string[];
  /** The values of those variables, of all sessions. */
  register: ValueRegister;
  /** Idle time from which a forgotten code is amnesia. */
  amnesiaMs: Ms;
  /** Detects whether ids identify replies. */
  ids: IdWatch;
  /** True if the service sets a cookie that is not sent back: it may be what names the replica with the conversation. */
  ignoresCookies: boolean;
}

/** Returns the guard of a plan; `undefined` if nothing is checked. `onUnsupported`: called if the agent does not repeat tags. */
export function openGuard(
  { seed, integrity, embedded }: Plan,
  salt: string,
  onUnsupported: () => void = () => undefined,
): Guard | undefined {
  const { mode, transcript, variables, idleMs } = integrity;
  if (mode === 'off') return undefined;
  return {
    seed,
    salt,
    isActive: mode === 'active',
    // The embedded service is known to repeat tags.
    echo: new Echo({ isKnown: embedded !== null, onUnsupported }),
    transcript: transcript?.split('.'),
    listedTurns: embedded === null || transcript !== 'conversation' ? undefined : listedBy(embedded),
    variables,
    register: new ValueRegister(),
    amnesiaMs: idleMs,
    ids: new IdWatch(),
    ignoresCookies: false,
  };
}

/** After the embedded service has forgotten turns, its list starts after the gap, without the first turn. */
function listedBy({ conversationTurns, maxTurnsPerSession }: Readonly<Record<string, unknown>>): number | undefined {
  if (typeof conversationTurns !== 'number' || typeof maxTurnsPerSession !== 'number') return undefined;
  return Math.min(conversationTurns, maxTurnsPerSession - 1);
}

/** Number of replies without a tag after which the agent is known not to repeat tags. */
export const echoPatience = 20;

/**
 * Detects if the agent repeats tags, which is unknown before the first one: receives every reply with text, and
 * decides once, at the first reply with a tag or the twentieth without.
 *
 *     unknown -- a tag --> repeats: the checks apply to every reply
 *        '---- 20 without --> silent: no check that needs tags applies
 */
class Echo {
  #state: 'unknown' | 'repeats' | 'silent';
  #withoutTag = 0;
  readonly #onUnsupported: () => void;

  /** `isKnown`: the agent is known to repeat tags. */
  constructor({ isKnown, onUnsupported }: { isKnown: boolean; onUnsupported: () => void }) {
    this.#state = isKnown ? 'repeats' : 'unknown';
    this.#onUnsupported = onUnsupported;
  }

  /** Reports whether the checks that need tags apply to a reply. */
  holds(hasTag: boolean): boolean {
    if (this.#state === 'unknown') this.#decide(hasTag);
    return this.#state === 'repeats';
  }

  #decide(hasTag: boolean): void {
    if (hasTag) this.#state = 'repeats';
    else if (++this.#withoutTag === echoPatience) {
      this.#state = 'silent';
      this.#onUnsupported();
    }
  }
}
