import type { ChatApi, HeaderFields, ProtocolTarget, Verdict } from '../protocol.ts';
import { callAuthor } from './author-error.ts';
import { refused } from '../classify-whole.ts';
import { bodyText, fillPath } from './compose-message.ts';
import { mergeCookies, jsonFields, wantedHeaders, withFields } from './header-fields.ts';
import type { CreationDefinition, ApiDefinition } from './definition.ts';
import { judgeResponse } from './judge-response.ts';
import { errorReader } from './read-error.ts';
import { idReader, type IdReader } from './read-reply.ts';

/** How sessions are created; `onCookies` is told those of each session. Throws `AuthorError` when the request cannot be made. */
export function creationOf(
  definition: ApiDefinition & { readonly createSession: CreationDefinition },
  { agentId }: Pick<ProtocolTarget, 'agentId'>,
  onCookies: (sessionId: string, cookies: string) => void,
): NonNullable<ChatApi['creation']> {
  const { sessionId } = definition.createSession;
  const readId: IdReader = sessionId === undefined ? cookiesAsId : idReader('createSession.sessionId', sessionId);
  const readError = errorReader(definition);
  const needsJson = typeof sessionId === 'string' || typeof sessionId === 'function';
  const judge = (body: unknown, headers: HeaderFields | undefined): Verdict => {
    const id = readId(body, headers);
    if (typeof id !== 'string') return refused('contract_broken', `no session id${id.missing}`);
    onCookies(id, mergeCookies('', headers));
    return { outcome: 'ok', detail: '', reply: { text: '', id, data: body } };
  };
  return {
    request: requestOf(definition, agentId),
    read: (received) =>
      judgeResponse(received, { readError, needsJson, judge: (body) => judge(body, received.headers) }),
  };
}

function requestOf(
  { cookies, createSession }: ApiDefinition & { readonly createSession: CreationDefinition },
  agentId: string,
) {
  const { method = 'POST', path, headers = {}, body = {}, sessionId } = createSession;
  const made = typeof body === 'function' ? callAuthor('createSession.body', () => body({ agentId })) : body;
  const route = {
    operation: 'create',
    method,
    path: fillPath(path, { agentId }),
    headers: withFields(jsonFields, headers),
    wantedHeaders: wantedHeaders(cookies, sessionId),
  } as const;
  return { route, body: method === 'GET' ? '' : bodyText('createSession.body', made) };
}

const cookiesAsId: IdReader = (_, headers) => {
  const cookies = mergeCookies('', headers);
  return cookies === '' ? { missing: ': no cookie was set' } : cookies;
};
