import { createHash } from 'node:crypto';
import type { Conversation } from '../conversation.ts';

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
