import { redactorOf } from '../../base/redact.ts';

const longestDetail = 300;

/** Control, format (bidirectional marks too), surrogate and unassigned characters, and the separators of lines. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a detail fit for terminals, logs and files: without the key, whatever a server echoed, then with everything
 * that does not print escaped, then cut. In that order, so that no piece of the key is left over.
 */
export function safeDetail(detail: string, apiKey?: string): string {
  const keyless = apiKey === undefined ? detail : redactorFor(apiKey)(detail);
  const escaped = keyless.replace(unprintable, escape);
  return escaped.length > longestDetail ? `${escaped.slice(0, longestDetail)}…` : escaped;
}

/** A run has one key, and details in thousands. */
let latest = { key: '', redact: redactorOf('') };

function redactorFor(key: string): (text: string) => string {
  if (latest.key !== key) latest = { key, redact: redactorOf(key) };
  return latest.redact;
}

const escape = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
};
