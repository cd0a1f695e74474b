import type { TokenSource } from '../../plan/settle-auth.ts';
import { tokenFunction } from './call-token-function.ts';
import { oauthClient, type PostForm } from './oauth-client.ts';
import { tokenCommand } from './run-token-command.ts';
import type { ObtainToken } from './token.ts';

interface Surroundings {
  limitMs: number;
  redact: (text: string) => string;
  wallNow: () => number;
  postForm: PostForm;
}

/** What obtains the tokens of a scenario. Throws a usage error for a command that cannot be one. */
export function openTokenSource(
  source: TokenSource,
  { limitMs, redact, wallNow, postForm }: Surroundings,
): ObtainToken {
  switch (source.from) {
    case 'token':
      return tokenFunction(source.call, { limitMs, redact });
    case 'command':
      return tokenCommand({ line: source.line, limitMs, redact, wallNow });
    case 'oauth':
      return oauthClient(source, { limitMs, redact, wallNow, postForm });
  }
}
