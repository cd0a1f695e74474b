import type { Conversation } from '../conversation.ts';
import type { DatasetDocument } from './dataset-document.ts';
import { fingerprintOf } from './fingerprint-of.ts';
import { Fingerprints } from '../fingerprints.ts';
import { bandsOf } from './min-hash.ts';

/** Counts conversations that were there before, or nearly so. */
export class Duplicates {
  #exact = 0;
  #near = 0;
  readonly #known: Fingerprints;
  readonly #bands: Fingerprints;

  constructor(most?: number) {
    this.#known = new Fingerprints(most);
    this.#bands = new Fingerprints(most);
  }

  add(conversation: Conversation): void {
    if (this.#known.add(fingerprintOf(conversation))) {
      this.#exact++;
      return;
    }
    // Every band is to be added, whatever the others say.
    const seen = bandsOf(conversation).filter((band) => this.#bands.add(band));
    if (seen.length > 0) this.#near++;
  }

  summary(): DatasetDocument['duplicates'] {
    const isPart = this.#known.isFull || this.#bands.isFull;
    return { exact: this.#exact, near: this.#near, compared: isPart ? 'part' : 'all' };
  }
}
