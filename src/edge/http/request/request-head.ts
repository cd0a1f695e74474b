import { ChatLoadError } from '../../../base/errors.ts';
import { basicCredentials, isForwarded, type ProxyServer } from '../../../base/proxy-server.ts';
import { acceptedCodings } from '../response/decode-body.ts';
import { withFields, withoutField } from '../../../protocol/defined/header-fields.ts';
import type { ChatRequest, HeaderFields, Route } from '../../../protocol/protocol.ts';

export interface RequestAim {
  /** May have a path, which is kept as a prefix. */
  baseUrl: URL;
  route: Route;
  /** What authorizes the request. */
  authorization: HeaderFields;
  /** For the `User-Agent`. */
  toolVersion: string;
  proxy?: ProxyServer | undefined;
  headers?: OwnHeaders | undefined;
  /** Whether whole replies may come compressed. */
  compression?: boolean;
  /** Whether the body waits for the server to ask for it. */
  expectContinue?: boolean;
}

/** Header fields of the scenario. They replace those of the same name, in whatever case. */
export interface OwnHeaders {
  /** The same for all requests: ASCII. */
  readonly constant: HeaderFields;
  /** The names of those that come with the requests. */
  readonly ofRequests: readonly string[];
}

/** What is written for one exchange. */
export interface RequestText {
  text: string;
  /** `latin1` where it gives the same bytes as `utf8`: it is quicker to write. */
  encoding: 'latin1' | 'utf8';
  bytes: number;
}

/**
 * The head of every request of one route, up to the value of `Content-Length`, which comes last. ASCII alone.
 * The base URL and the key must have been checked.
 */
export function composeRequestHead(aim: RequestAim): string {
  const { baseUrl, route, proxy } = aim;
  const target = urlOf(baseUrl, route);
  return [
    `${route.method} ${requestTarget(target, proxy)} HTTP/1.1`,
    `Host: ${baseUrl.host}`,
    ...Object.entries({ ...proxyFields(baseUrl, proxy), ...headerFields(aim, ours(aim)) }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    'Content-Length: ',
  ].join('\r\n');
}

/** What is asked for: the whole URL where a proxy forwards it (RFC 9112, 3.2.2). */
function requestTarget(url: URL, proxy: ProxyServer | undefined): string {
  const { href, pathname, search } = url;
  return proxy !== undefined && isForwarded(url, proxy) ? href : pathname + search;
}

/** What authorizes a request at the proxy that forwards it. */
function proxyFields(url: URL, proxy: ProxyServer | undefined): HeaderFields {
  if (proxy?.credentials === undefined || !isForwarded(url, proxy)) return {};
  return { 'Proxy-Authorization': basicCredentials(proxy.credentials) };
}

const ours = (aim: RequestAim): HeaderFields => ({
  'Accept-Encoding': acceptedEncodings(aim),
  Connection: aim.proxy !== undefined && isForwarded(aim.baseUrl, aim.proxy) ? 'close' : 'keep-alive',
  ...(aim.expectContinue === true && aim.route.method !== 'GET' ? expectation : undefined),
});

/** The fields of every request of a route, but for those that say where it goes and how long it is. */
function headerFields(
  { route, authorization, toolVersion, headers }: Omit<RequestAim, 'baseUrl'>,
  own: HeaderFields,
): HeaderFields {
  const usual: HeaderFields = {
    ...authorization,
    ...route.headers,
    ...own,
    'User-Agent': `chat-load/${toolVersion}`,
  };
  return headers === undefined ? usual : withFields(headers.ofRequests.reduce(withoutField, usual), headers.constant);
}

/** The codings to ask for. Pieces of a reply are timed as they come: one coding over them would hold them back. */
function acceptedEncodings({ route, compression = false }: Pick<RequestAim, 'route' | 'compression'>): string {
  return compression && route.stream === undefined ? acceptedCodings : 'identity';
}

const expectation: HeaderFields = { Expect: '100-continue' };

/** Where the requests of a route go. */
export function urlOf(baseUrl: URL, { path }: Pick<Route, 'path'>): URL {
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  return new URL(baseUrl.origin + prefix + (path.startsWith('/') ? path : `/${path}`));
}

/** One request: the head, completed, its own fields, and the body behind it, in one string. */
export function composeRequest(
  head: string,
  { body, bodyBytes = Buffer.byteLength(body), fields = '' }: Pick<ChatRequest, 'body' | 'bodyBytes' | 'fields'>,
): RequestText {
  const isAscii = bodyBytes === body.length;
  // The encoding is that of the whole text: a head that is no ASCII goes with a body of single bytes.
  const said = isAscii || isAsciiText(fields) ? body : Buffer.from(body).toString('latin1');
  const text = `${head}${String(bodyBytes)}\r\n${fields}\r\n${said}`;
  return {
    text,
    encoding: isAscii || said !== body ? 'latin1' : 'utf8',
    bytes: text.length - said.length + bodyBytes,
  };
}

const isAsciiText = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Refuses a key that a header cannot carry. Throws `ChatLoadError` (usage); the key is not in it. */
export function checkApiKey(apiKey: string): void {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) refuse(`the API key ${keyFault(apiKey)}`, keyHint);
}

/** A text that the value of a header field can be: printable ASCII, without spaces at its ends. */
const fieldValue = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Whether a text can be the value of a header field. */
export function isFieldValue(value: string): boolean {
  return fieldValue.test(value);
}

/** What authorizes requests: given fields, or the key in the way of the protocol. Throws `ChatLoadError` (usage) for a key that a header cannot carry. */
export function authorizationOf({ authorization, authorize, apiKey }: Authorized): HeaderFields {
  if (authorization !== undefined) return authorization;
  checkApiKey(apiKey);
  return authorize(apiKey);
}

interface Authorized {
  authorization?: HeaderFields | undefined;
  authorize: (apiKey: string) => HeaderFields;
  apiKey: string;
}

/** Refuses a base URL that operations cannot be appended to. Throws `ChatLoadError` (usage). */
export function checkBaseUrl(baseUrl: URL): void {
  if (baseUrl.protocol !== 'http:' && baseUrl.protocol !== 'https:') {
    refuse(`the base URL starts with ${baseUrl.protocol}`, 'It must start with http:// or https://.');
  }
  if (baseUrl.username !== '' || baseUrl.password !== '') {
    refuse('the base URL holds a user name or a password', 'Remove them: the API key authorizes.');
  }
  if (baseUrl.search !== '' || baseUrl.hash !== '') {
    refuse('the base URL holds a query or a fragment', 'Remove it: the paths of the API are appended to the URL.');
  }
}

const keyHint = 'Look at CHAT_LOAD_API_KEY or target.apiKey: often it ends with a line break copied from a file.';

const keyFault = (apiKey: string): string => {
  if (apiKey === '') return 'is empty';
  return /[\r\n]/.test(apiKey) ? 'holds a line break' : 'holds a character that an HTTP header cannot carry';
};

const refuse = (message: string, hint: string): never => {
  throw new ChatLoadError('usage', { message, hint });
};
