/** The number of replies without a tag that shows that an agent does not repeat. */
export const echoPatience = 20;

/**
 * Whether the agent repeats tags, which no check can know before the first one: given every reply with a text, it
 * decides once, at the first reply with a tag or the twentieth without.
 *
 *     unknown -- a tag --> heard: every reply is held to the checks
 *        '---- 20 without --> unheard: none is
 */
export class Echo {
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
