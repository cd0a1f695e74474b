import { protocols, protocolNames, type ProtocolName } from '../protocol/registry/registry.ts';

/** A URL that ends in the path of a named protocol, taken apart. */
export interface RecognizedUrl {
  protocol: ProtocolName;
  /** Base URL with which the protocol sends its requests to this URL. */
  baseUrl: string;
  /** Path at the end of the URL. */
  path: string;
  /** Set only for a path of messages without `/v1`: `target.messagesPath` has to be set to it. */
  messagesPath: string | undefined;
}

/**
 * Recognizes a URL that ends in a protocol's own path, such as `http://localhost:8000/v1/chat/completions`. Returns
 * `undefined` for any other URL, and for one with a query, which no base URL can have.
 */
export function recognizeUrl(url: string): RecognizedUrl | undefined {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  if (parsed.search !== '' || parsed.hash !== '') return undefined;
  const pathname = parsed.pathname.replace(/\/+$/, '');
  const ending = endings.find(({ path }) => pathname.endsWith(path));
  if (ending === undefined) return undefined;
  const { protocol, path, isUnversioned } = ending;
  const prefix = pathname.slice(0, -path.length);
  parsed.pathname = path.startsWith(version) ? `${prefix}/v1` : prefix;
  const baseUrl = parsed.href.replace(/\/$/, '');
  return { protocol, baseUrl, path, messagesPath: isUnversioned ? path : undefined };
}

const version = '/v1/';

/** All recognized path endings, the longest first: one may be the end of another. */
const endings = protocolNames
  .flatMap((protocol) => {
    const { paths } = protocols[protocol].protocol;
    if (paths === undefined) return [];
    const { message, create, mayLackVersion } = paths;
    return [
      { protocol, path: message, isUnversioned: false },
      ...(create === undefined ? [] : [{ protocol, path: create, isUnversioned: false }]),
      ...(mayLackVersion === true ? [{ protocol, path: withoutVersion(message), isUnversioned: true }] : []),
    ];
  })
  .sort((a, b) => b.path.length - a.path.length);

/** Returns a path without its leading `/v1`. */
export function withoutVersion(path: string): string {
  return path.startsWith(version) ? path.slice(version.length - 1) : path;
}
