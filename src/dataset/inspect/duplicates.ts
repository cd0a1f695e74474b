import { createHash } from 'node:crypto';
import type { Conversation } from '../conversation.ts';
import { Fingerprints } from '../fingerprints.ts';
import type { DatasetDocument } from './dataset-document.ts';
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

/**
 * A number for what is said in a conversation, whatever its capitals, spaces and forms of Unicode: two that differ have
 * the same one by chance in one of 2^53 pairs.
 */
export function fingerprintOf({ messages }: Conversation): number {
  const said = messages.map(({ role, content }) => `${role}\0${normalized(content)}\0`).join('');
  return numberOf(createHash('sha256').update(said).digest());
}

function normalized(text: string): string {
  // Of ASCII there is one form only, and most texts have single spaces: a look is cheaper than a copy.
  const composed = isAscii.test(text) ? text : text.normalize('NFKC');
  const lower = composed.toLowerCase();
  return (unevenSpace.test(lower) ? lower.replace(/\s+/g, ' ') : lower).trim();
}

/** Of one byte each in UTF-8. */
const isAscii = /^[\0-\x7f]*$/;
const unevenSpace = /[^\S ]| {2}/;

/** 53 bits of a digest; never 0. */
const numberOf = (digest: Buffer): number => digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) >>> 3) + 1;
