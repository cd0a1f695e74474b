import { ChatLoadError } from '../../base/errors.ts';
import { basicCredentials, isForwarded, type ProxyServer } from '../../base/proxy-server.ts';
import type { ChatRequest, HeaderFields, Route } from '../../protocol/protocol.ts';

export interface RequestAim {
  /** May have a path, which is kept as a prefix. */
  baseUrl: URL;
  route: Route;
  /** What authorizes the request. */
  authorization: HeaderFields;
  /** For the `User-Agent`. */
  toolVersion: string;
  proxy?: ProxyServer | undefined;
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
export function composeRequestHead({ baseUrl, route, authorization, toolVersion, proxy }: RequestAim): string {
  const target = urlOf(baseUrl, route);
  return [
    `${route.method} ${requestTarget(target, proxy)} HTTP/1.1`,
    `Host: ${baseUrl.host}`,
    ...Object.entries({ ...proxyFields(baseUrl, proxy), ...authorization, ...route.headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    'Accept-Encoding: identity',
    'Connection: keep-alive',
    `User-Agent: chat-load/${toolVersion}`,
    'Content-Length: ',
  ].join('\r\n');
}

/** What is asked for: the whole URL where a proxy forwards it (RFC 9112, 3.2.2). */
export function requestTarget(url: URL, proxy: ProxyServer | undefined): string {
  const { href, pathname, search } = url;
  return proxy !== undefined && isForwarded(url, proxy) ? href : pathname + search;
}

/** What authorizes a request at the proxy that forwards it. */
export function proxyFields(url: URL, proxy: ProxyServer | undefined): HeaderFields {
  if (proxy?.credentials === undefined || !isForwarded(url, proxy)) return {};
  return { 'Proxy-Authorization': basicCredentials(proxy.credentials) };
}

/** Where the requests of a route go. */
export function urlOf(baseUrl: URL, { path }: Route): URL {
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  return new URL(baseUrl.origin + prefix + (path.startsWith('/') ? path : `/${path}`));
}

/** One request: the head, completed, and the body behind it, in one string. */
export function composeRequest(
  head: string,
  { body, bodyBytes = Buffer.byteLength(body) }: Pick<ChatRequest, 'body' | 'bodyBytes'>,
): RequestText {
  const text = `${head}${String(bodyBytes)}\r\n\r\n${body}`;
  return {
    text,
    encoding: bodyBytes === body.length ? 'latin1' : 'utf8',
    bytes: text.length - body.length + bodyBytes,
  };
}

/** Refuses a key that a header cannot carry. Throws `ChatLoadError` (usage); the key is not in it. */
export function checkApiKey(apiKey: string): void {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) refuse(`the API key ${keyFault(apiKey)}`, keyHint);
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
