import { messageOf } from '../../base/errors.ts';
import { excerpt } from '../../base/excerpt.ts';
import { isObject } from '../../base/is-object.ts';
import { printable } from '../../base/printable.ts';
import type { TokenFunction } from '../../scenario/scenario.ts';
import { within } from './within.ts';
import { readEnd, readToken, TokenFailure, type ObtainToken } from './token.ts';

const what = 'target.auth.token';

const longestText = 300;

interface Surroundings {
  /** How long it may take. */
  limitMs: number;
  redact: (text: string) => string;
}

/** The author's function. */
export function tokenFunction(call: TokenFunction, { limitMs, redact }: Surroundings): ObtainToken {
  return async (unwanted) => {
    const given: unknown = await within({ what, limitMs, unwanted }, callSafely(call, redact));
    if (!isObject(given))
      throw new TokenFailure(`${what} returned ${wordKind(given)}: it returns { value, expiresAt }`);
    return readToken(given['value'], readEnd(given['expiresAt'], what), what);
  };
}

async function callSafely(call: TokenFunction, redact: Surroundings['redact']): Promise<unknown> {
  try {
    return await call();
  } catch (thrown) {
    throw new TokenFailure(
      `${what} threw: ${excerpt(messageOf(thrown), (text) => printable(redact(text)), longestText)}`,
    );
  }
}

function wordKind(given: unknown): string {
  if (given === undefined || given === null) return 'nothing';
  return Array.isArray(given) ? 'a list' : `a ${typeof given}`;
}
