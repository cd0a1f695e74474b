import { protocols, protocolNames, type ProtocolName } from '../protocol/registry/registry.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';

/** A URL that ends in the path of a named protocol, taken apart. */
export interface RecognizedUrl {
  protocol: ProtocolName;
  /** Base URL with which the protocol sends its requests to this URL. */
  baseUrl: string;
  /** Path at the end of the URL. */
  path: string;
  /** The model that the path names. */
  agentId: string | undefined;
  /** Set only for a path of messages that is not the protocol's own: `target.messagesPath` has to be set to it. */
  messagesPath: string | undefined;
}

/** Facts besides a URL that decide between protocols with the same path. */
interface Besides {
  /** The protocol, if it is named. */
  named?: string | undefined;
  /** Names of the header fields of a request. */
  headers?: readonly string[];
}

/**
 * Recognizes a URL that ends in a protocol's own path, such as `http://localhost:8000/v1/chat/completions`. Returns
 * `undefined` for any other URL, and for one with a query that the path does not have.
 */
export function recognizeUrl(url: string, besides: Besides = {}): RecognizedUrl | undefined {
  if (!URL.canParse(url)) return undefined;
  const parsed = new URL(url);
  const pathname = parsed.pathname.replace(/\/+$/, '');
  const [found] = endings.flatMap((ending) => {
    const match = ending.pattern.exec(pathname);
    return match !== null && ending.query.test(parsed.search) && isShown(ending, parsed.hostname, besides)
      ? [{ ...ending, match }]
      : [];
  });
  if (found === undefined || parsed.hash !== '') return undefined;
  const { protocol, template, isOther, match } = found;
  const [path, model] = match;
  const [version = ''] = leadingVersion.exec(template) ?? [];
  const messagesPath = isOther ? template.replace(/=$/, () => parsed.search.replace(/^[^=]*/, '')) : undefined;
  parsed.pathname = pathname.slice(0, -path.length) + (isOther ? '' : version);
  parsed.search = '';
  const baseUrl = parsed.href.replace(/\/$/, '');
  return { protocol, baseUrl, path, agentId: model && decodeURIComponent(model), messagesPath };
}

/**
 * Recognizes the base URL of an API by its path, with the model, or by the vendor's host: `https://host/v1beta` with a model
 * of Gemini. Returns `undefined` for a host that may have several APIs.
 */
export function recognizeBase(url: string, model: string | undefined): ProtocolName | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, pathname } = new URL(url);
  const path = pathname.replace(/\/+$/, '');
  const baseOf = (name: ProtocolName): NonNullable<ChatProtocol['base']> => {
    const { base = {} }: ChatProtocol = protocols[name].protocol;
    return base;
  };
  const hasPath = (name: ProtocolName): boolean => {
    const { end, model: models } = baseOf(name);
    return end?.test(path) === true && (models === undefined || models.test(model ?? ''));
  };
  const isAt = (name: ProtocolName): boolean => {
    const { host, path: own } = baseOf(name);
    return host?.test(hostname) === true && (own === undefined || own.test(path));
  };
  return protocolNames.find(hasPath) ?? protocolNames.find(isAt);
}

/** Reports whether an ending shows its protocol. */
function isShown({ protocol, isShared }: Ending, hostname: string, { named, headers = [] }: Besides): boolean {
  if (!isShared || named === protocol) return true;
  const vendor: ChatProtocol = protocols[protocol].protocol;
  const [field] = Object.keys(vendor.authorize('key'));
  return (
    vendor.base?.host?.test(hostname) === true || headers.some((name) => name.toLowerCase() === field?.toLowerCase())
  );
}

const leadingVersion = /^\/v\d\w*(?=\/)/;

/** An ending of URLs; `isOther`: a path of messages that the protocol does not use by itself. */
interface Ending {
  protocol: ProtocolName;
  template: string;
  isOther: boolean;
  /** True if other vendors have this path for another protocol. */
  isShared: boolean;
  pattern: RegExp;
  query: RegExp;
}

/** All recognized endings, the longest first: one may be the end of another. */
const endings = protocolNames
  .flatMap((protocol): Ending[] => {
    const { paths }: ChatProtocol = protocols[protocol].protocol;
    if (paths === undefined) return [];
    const { message, streamed = message, create = message, mayLackVersion, dated, isShared = false } = paths;
    const own = [...new Set([message, streamed, create])].map((path) => ({ ...endingOf(protocol, path), isShared }));
    const others = [
      ...(mayLackVersion === true ? [withoutVersion(message)] : []),
      ...(dated === undefined ? [] : [dated]),
    ];
    return [...own, ...others.map((path) => ({ ...endingOf(protocol, path), isOther: true }))];
  })
  .sort((a, b) => b.template.length - a.template.length);

function endingOf(protocol: ProtocolName, template: string): Ending {
  const [path = '', query = ''] = template.split('?');
  const pattern = new RegExp(`${escaped(path).replace(escaped('{model}'), '([^/]+)')}$`);
  const value = query.endsWith('=') ? '[\\w.-]+' : '';
  return {
    protocol,
    template,
    isOther: false,
    isShared: false,
    pattern,
    query: query === '' ? /^$/ : new RegExp(`^(\\?${escaped(query)}${value})${value === '' ? '?' : ''}$`),
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Returns a path without its leading `/v1`. */
export function withoutVersion(path: string): string {
  return path.replace(/^\/v1(?=\/)/, '');
}
