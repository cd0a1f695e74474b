import { isCredential } from '../base/header-field.ts';
import { isLoopback, plainName } from '../plan/host-names.ts';
import { givenBeside } from '../plan/overlay.ts';
import { stderr } from './terminal.ts';

type Flags = Readonly<Record<string, unknown>>;

/**
 * Reports whether a command without a scenario file sends no key: flags and environment give none, and aim at this machine
 * or give a header field that authorizes requests.
 */
export function needsNoKey(flags: Flags): boolean {
  if (given(flags, 'apiKey') !== undefined || given(flags, 'auth.command') !== undefined) return false;
  const url = given(flags, 'baseUrl');
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  return hasCredential(flags) || isLoopback(plainName(new URL(url).hostname));
}

/** Notes that no key is sent, unless a header field authorizes requests. */
export function noteNoKey(flags: Flags): void {
  if (!hasCredential(flags)) stderr.note('note: CHAT_LOAD_API_KEY is not set, so no key is sent to this machine.');
}

const given = (flags: Flags, name: string): unknown =>
  givenBeside(`target.${name}`, { flags, environment: process.env });

/** Fields are given as lines: `Name: value`. */
function hasCredential(flags: Flags): boolean {
  const lines = given(flags, 'headers');
  if (!Array.isArray(lines)) return false;
  return lines.some((line) => typeof line === 'string' && isCredential(line.slice(0, Math.max(0, line.indexOf(':')))));
}
