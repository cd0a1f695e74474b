/** Default maximum number of fingerprints: 64 MB. */
const maxFingerprints = 4 * 1024 ** 2;

const minSlots = 1024;

/** A set of whole numbers from 1 to 2^53 in bounded memory: once full, it ignores new ones. Open addressing; half of the slots stay empty. */
export class Fingerprints {
  #slots = new Float64Array(minSlots);
  #size = 0;
  readonly #max: number;

  constructor(max = maxFingerprints) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.#size >= this.#max;
  }

  /** Returns true if the set contains the fingerprint; otherwise adds it, unless the set is full. */
  add(fingerprint: number): boolean {
    const slot = this.#slotOf(fingerprint);
    if (this.#slots[slot] === fingerprint) return true;
    if (this.isFull) return false;
    this.#slots[slot] = fingerprint;
    if (++this.#size * 2 > this.#slots.length) this.#grow();
    return false;
  }

  /** Returns the slot of the fingerprint, or a free one. */
  #slotOf(fingerprint: number): number {
    const slots = this.#slots;
    let slot = fingerprint % slots.length;
    while (slots[slot] !== 0 && slots[slot] !== fingerprint) slot = (slot + 1) % slots.length;
    return slot;
  }

  #grow(): void {
    const full = this.#slots;
    this.#slots = new Float64Array(full.length * 2);
    for (const fingerprint of full) if (fingerprint !== 0) this.#slots[this.#slotOf(fingerprint)] = fingerprint;
  }
}
