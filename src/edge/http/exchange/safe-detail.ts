import { excerpt } from '../../../base/excerpt.ts';

const maxDetailLength = 300;

/** Control, format (bidirectional marks too), surrogate and unassigned characters, and line separators. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a detail safe for terminals, logs and files: secrets that a server echoed are removed, then unprintable
 * characters are escaped, then it is cut. This order ensures that no part of a secret remains.
 */
export function safeDetail(detail: string, redact: (text: string) => string = (text) => text): string {
  return excerpt(detail, (text) => redact(text).replace(unprintable, escape), maxDetailLength);
}

const escape = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
};
