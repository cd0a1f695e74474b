import { messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import type { TokenFunction } from '../../scenario/scenario.ts';
import { within } from './within.ts';
import { readEnd, readToken, TokenFailure, type ObtainToken } from './token.ts';

const what = 'target.auth.token';

/** The author's function. `limitMs`: how long it may take. */
export function tokenFunction(call: TokenFunction, limitMs: number): ObtainToken {
  return async (unwanted) => {
    const given: unknown = await within({ what, limitMs, unwanted }, callSafely(call));
    if (!isObject(given))
      throw new TokenFailure(`${what} returned ${wordKind(given)}: it returns { value, expiresAt }`);
    return readToken(given['value'], readEnd(given['expiresAt'], what), what);
  };
}

async function callSafely(call: TokenFunction): Promise<unknown> {
  try {
    return await call();
  } catch (thrown) {
    throw new TokenFailure(`${what} threw: ${messageOf(thrown)}`);
  }
}

function wordKind(given: unknown): string {
  if (given === undefined || given === null) return 'nothing';
  return Array.isArray(given) ? 'a list' : `a ${typeof given}`;
}
