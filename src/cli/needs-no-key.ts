import { isLoopback, plainName } from '../plan/host-names.ts';
import { givenBeside } from '../plan/overlay.ts';

/** Reports whether flags and environment aim at this machine and give nothing that authorizes requests. */
export function needsNoKey(flags: Readonly<Record<string, unknown>>): boolean {
  const given = (name: string): unknown => givenBeside(`target.${name}`, { flags, environment: process.env });
  const url = given('baseUrl');
  if (typeof url !== 'string' || !URL.canParse(url) || !isLoopback(plainName(new URL(url).hostname))) return false;
  return given('apiKey') === undefined && given('auth.command') === undefined;
}

export const noKeyNote = 'note: CHAT_LOAD_API_KEY is not set, so no key is sent to this machine.';
