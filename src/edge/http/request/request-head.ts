import { ChatLoadError } from '../../../base/errors.ts';
import { basicCredentials, isForwarded, type ProxyServer } from '../../../base/proxy-server.ts';
import { acceptedCodings } from '../response/decode-body.ts';
import { withFields, withoutField } from '../../../protocol/defined/header-fields.ts';
import type { ChatRequest, HeaderFields, Route } from '../../../protocol/protocol.ts';

export interface RequestAim {
  /** A path in it is kept as a prefix. */
  baseUrl: URL;
  route: Route;
  authorization: HeaderFields;
  toolVersion: string;
  proxy?: ProxyServer | undefined;
  headers?: OwnHeaders | undefined;
  compression?: boolean;
  expectContinue?: boolean;
}

/** Header fields of the scenario. They replace fields of the same name, in any case. */
export interface OwnHeaders {
  readonly constant: HeaderFields;
  /** Names of the fields that each request provides. */
  readonly ofRequests: readonly string[];
}

/** Text that is written for one exchange. */
export interface RequestText {
  text: string;
  /** `latin1` if it encodes to the same bytes as `utf8`: it is faster to write. */
  encoding: 'latin1' | 'utf8';
  bytes: number;
}

/**
 * Composes the head of every request of one route, up to the value of `Content-Length`, the last field. ASCII only. The
 * base URL and the key must have been checked.
 */
export function composeRequestHead(aim: RequestAim): string {
  const { baseUrl, route, headers } = aim;
  const { href, pathname, search } = urlOf(baseUrl, route);
  const forwarder = aim.proxy !== undefined && isForwarded(baseUrl, aim.proxy) ? aim.proxy : undefined;
  const usual: HeaderFields = {
    ...withFields(aim.authorization, route.headers),
    // Events of a streamed reply are timed as they arrive: compression would delay them.
    'Accept-Encoding': aim.compression === true && route.stream === undefined ? acceptedCodings : 'identity',
    Connection: forwarder === undefined ? 'keep-alive' : 'close',
    ...(aim.expectContinue === true && route.method !== 'GET' && expectation),
    'User-Agent': `chat-load/${aim.toolVersion}`,
  };
  const fields = headers ? withFields(headers.ofRequests.reduce(withoutField, usual), headers.constant) : usual;
  const credentials = forwarder?.credentials;
  return [
    // The whole URL if a proxy forwards it (RFC 9112, 3.2.2).
    `${route.method} ${forwarder === undefined ? pathname + search : href} HTTP/1.1`,
    `Host: ${baseUrl.host}`,
    ...Object.entries({
      ...(credentials && { 'Proxy-Authorization': basicCredentials(credentials) }),
      ...fields,
    }).map(([name, value]) => `${name}: ${value}`),
    lengthField,
  ].join('\r\n');
}

const lengthField = 'Content-Length: ';

/** Reports whether a request has a length: one without a body has none, unless its method means that there could be one (RFC 9110, 8.6). */
export function hasLength(method: string, bodyBytes: number): boolean {
  return bodyBytes > 0 || !/^(?:GET|HEAD|DELETE|OPTIONS)$/.test(method);
}

const expectation: HeaderFields = { Expect: '100-continue' };

export function urlOf(baseUrl: URL, { path, origin }: Pick<Route, 'path' | 'origin'>): URL {
  if (origin !== undefined) return new URL(origin + path);
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  return new URL(baseUrl.origin + prefix + (path === '' || path.startsWith('/') ? path : `/${path}`));
}

/** Composes one request in one string: the completed head, its own fields and the body. */
export function composeRequest(
  head: string,
  { body, bodyBytes = Buffer.byteLength(body), fields = '' }: Pick<ChatRequest, 'body' | 'bodyBytes' | 'fields'>,
): RequestText {
  const isAscii = bodyBytes === body.length;
  // The whole text has one encoding: a head that is not ASCII needs a body of single bytes.
  const hasAsciiFields = isAscii || Buffer.byteLength(fields) === fields.length;
  const encoded = hasAsciiFields ? body : Buffer.from(body).toString('latin1');
  const isSized = bodyBytes > 0 || hasLength(head.slice(0, head.indexOf(' ')), bodyBytes);
  const first = isSized ? `${head}${String(bodyBytes)}\r\n` : head.slice(0, -lengthField.length);
  const text = `${first}${fields}\r\n${encoded}`;
  return {
    text,
    encoding: isAscii || encoded !== body ? 'latin1' : 'utf8',
    bytes: text.length - encoded.length + bodyBytes,
  };
}

/** Refuses a key that a header cannot carry. Throws `ChatLoadError` (usage), which does not contain the key. */
export function checkApiKey(apiKey: string): void {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return;
  const fault = /[\r\n]/.test(apiKey)
    ? 'contains a line break'
    : 'contains a character that an HTTP header cannot carry';
  refuse(`the API key ${apiKey === '' ? 'is empty' : fault}`, keyHint);
}

/** Reports whether a text can be the value of a header field: printable ASCII, without spaces at its ends. */
export function isFieldValue(value: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value);
}

/** Returns the fields that authorize requests: given ones, or the protocol's for the key. Throws as `checkApiKey` does. */
export function authorizationOf({
  authorization,
  authorize,
  apiKey,
}: {
  authorization?: HeaderFields | undefined;
  authorize: (apiKey: string) => HeaderFields;
  apiKey: string;
}): HeaderFields {
  if (authorization !== undefined) return authorization;
  checkApiKey(apiKey);
  return authorize(apiKey);
}

/** Refuses a base URL that operations cannot be appended to. Throws `ChatLoadError` (usage). */
export function checkBaseUrl(baseUrl: URL): void {
  const { protocol, username, password, search, hash } = baseUrl;
  if (protocol !== 'http:' && protocol !== 'https:')
    refuse(`the base URL starts with ${protocol}`, 'It must start with http:// or https://.');
  if (username !== '' || password !== '')
    refuse('the base URL contains a user name or a password', 'Remove them: requests are authorized by the API key.');
  if (search !== '' || hash !== '')
    refuse('the base URL contains a query or a fragment', 'Remove it: the paths of the API are appended to the URL.');
}

const keyHint = 'Check CHAT_LOAD_API_KEY or target.apiKey: it often ends with a line break copied from a file.';

const refuse = (message: string, hint: string): never => {
  throw new ChatLoadError('usage', { message, hint });
};
