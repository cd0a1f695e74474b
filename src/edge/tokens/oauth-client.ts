import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  processClientCredentialsResponse,
  ResponseBodyError,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { messageOf } from '../../base/errors.ts';
import type { OAuthClient } from '../../plan/resolve-auth.ts';
import { readToken, TokenFailure, type ObtainToken, type Obtaining, shownBy } from './token.ts';

const what = 'the OAuth server';

/** Obtains tokens by client credentials (RFC 6749, section 4.4). */
export function oauthClient(client: Omit<OAuthClient, 'insecure'>, { postForm, ...asking }: Asking): ObtainToken {
  return async (unwanted) => {
    const requestedAt = asking.wallNow();
    const { access_token: value, expires_in: seconds } = await ask(
      client,
      postForm,
      AbortSignal.any([unwanted, AbortSignal.timeout(asking.limitMs)]),
    ).catch((failed: unknown) => {
      throw new TokenFailure(`${what} ${describeFailure(failed, asking)}`);
    });
    return readToken(value, seconds === undefined ? undefined : requestedAt + seconds * 1000, what);
  };
}

export interface Asking extends Obtaining {
  /** Posts a form as fetch does, over the route of requests to the target. */
  postForm: (
    url: string,
    request: { method: string; headers: Record<string, string>; body: URLSearchParams; signal?: AbortSignal },
  ) => Promise<Response>;
}

async function ask(
  client: Omit<OAuthClient, 'insecure'>,
  postForm: Asking['postForm'],
  signal: AbortSignal,
): Promise<TokenEndpointResponse> {
  const { tokenUrl, clientId, clientSecret = '', clientAuthentication, scope, audience } = client;
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
  const identity = (clientAuthentication === 'post' ? ClientSecretPost : ClientSecretBasic)(clientSecret);
  const parameters = { ...(scope !== undefined && { scope }), ...(audience !== undefined && { audience }) };
  const response = await clientCredentialsGrantRequest(server, { client_id: clientId }, identity, parameters, {
    signal,
    [customFetch]: (url, request) => postForm(url, { ...request, signal }),
    // The scenario allows http only for this machine.
    [allowInsecureRequests]: tokenUrl.startsWith('http:'),
  });
  return processClientCredentialsResponse(server, { client_id: clientId }, response);
}

function describeFailure(failed: unknown, asking: Obtaining): string {
  const shown = (text: string): string => shownBy(text, asking);
  if (failed instanceof ResponseBodyError) {
    const { status, error, error_description: description } = failed;
    return `refused (${String(status)} ${shown(error)}${description === undefined ? '' : `: ${shown(description)}`})`;
  }
  if (failed instanceof Error && failed.name === 'TimeoutError')
    return `did not answer within ${String(asking.limitMs / 1000)} s`;
  const { cause } = failed instanceof Error ? failed : {};
  if (cause instanceof Response) return `did not answer as an OAuth server does (${String(cause.status)})`;
  // `fetch failed` explains nothing; its cause does.
  return `could not be reached: ${shown(messageOf(cause instanceof Error ? cause : failed))}`;
}
