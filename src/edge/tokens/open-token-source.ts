import type { TokenSource } from '../../plan/resolve-auth.ts';
import { oauthClient, type Asking } from './oauth-client.ts';
import { tokenCommand } from './run-token-command.ts';
import { type ObtainToken, type Obtaining, shownBy, within, readEnd, readToken, TokenFailure } from './token.ts';
import { messageOf } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import type { TokenFunction } from '../../scenario/scenario-values.ts';

/** Opens the source of a scenario's tokens. Throws a usage error for an invalid command. */
export function openTokenSource(source: TokenSource, asking: Asking): ObtainToken {
  switch (source.from) {
    case 'token':
      return tokenFunction(source.call, asking);
    case 'command':
      return tokenCommand({ ...asking, line: source.line });
    case 'oauth':
      return oauthClient(source, asking);
  }
}

const what = 'target.auth.token';

/** Obtains tokens from the author's function. */
function tokenFunction(call: TokenFunction, asking: Obtaining): ObtainToken {
  return async (unwanted) => {
    const given: unknown = await within({ what, limitMs: asking.limitMs, unwanted }, callSafely(call, asking));
    if (!isObject(given))
      throw new TokenFailure(`${what} returned ${describeKind(given)}: it must return { value, expiresAt }`);
    return readToken(given['value'], readEnd(given['expiresAt'], what), what);
  };
}

async function callSafely(call: TokenFunction, asking: Obtaining): Promise<unknown> {
  try {
    return await call();
  } catch (thrown) {
    throw new TokenFailure(`${what} threw: ${shownBy(messageOf(thrown), asking)}`);
  }
}

function describeKind(given: unknown): string {
  if (given === undefined || given === null) return 'nothing';
  return Array.isArray(given) ? 'a list' : `a ${typeof given}`;
}
