import { isIP } from 'node:net';
import { readResolveEntry } from '../scenario/resolve-entry.ts';
import type { Plan } from './plan.ts';
import { ChatLoadError } from '../base/errors.ts';
import { allowedHosts } from '../scenario/connection-options.ts';

/** Reports whether a host is this machine: 127.0.0.0/8, `::1` and `localhost`. URLs normalize other notations of an address to these. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/** Returns a host without the brackets of an IPv6 literal and without a final dot. */
export function plainName(host: string): string {
  return host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

interface RefusablePlan extends Pick<Plan, 'allowHosts'> {
  target: Pick<Plan['target'], 'baseUrl' | 'unixSocket' | 'resolve'>;
}

/** Returns the host that a plan may not load, with its port if one was given; `undefined`: it may load its target. */
export function refusedHost({ target, allowHosts }: RefusablePlan): string | undefined {
  // The embedded service and servers on a Unix socket run on this machine.
  if (target.baseUrl === null || target.unixSocket !== null) return undefined;
  const url = new URL(target.baseUrl);
  const { name, port } = originOf(url);
  const isAllowed = (each: string): boolean => allowHosts.some((pattern) => isNamedBy(pattern, each, port));
  if (isAllowed(name)) return undefined;
  if (!isLoopback(name)) return url.host;
  // A `resolve` entry can map a local host name to another machine.
  const astray = (target.resolve ?? []).flatMap((text) => {
    const read = readResolveEntry(text);
    if (!('host' in read) || read.host !== name || String(read.port) !== port) return [];
    return isLoopback(read.address) || isAllowed(read.address) ? [] : [read.address];
  });
  return astray[0];
}

/** Returns a function that reports whether requests of a run may go to the host of a URL besides its target. */
export function reachOf({ target: { resolve }, allowHosts }: RefusablePlan): (url: URL) => boolean {
  return ({ href }) => refusedHost({ target: { baseUrl: href, unixSocket: null, resolve }, allowHosts }) === undefined;
}

/** Throws a usage error if model calls may not be forwarded to a host. */
export function checkForward(forward: Forward | null | undefined, allowHosts: readonly string[]): void {
  const refused = [forward?.openai, forward?.anthropic]
    .flatMap((url) => url ?? [])
    .map((baseUrl) => refusedHost({ target: { baseUrl, unixSocket: null, resolve: [] }, allowHosts: [...allowHosts] }))
    .find((host) => host !== undefined);
  if (refused === undefined) return;
  throw new ChatLoadError('usage', {
    message: `model.forward may not send calls to ${refused}: it is neither this machine nor an allowed host.`,
    hint: `Nothing was sent. If you may use that service, allow its host: --allow-host ${refused}`,
  });
}

/** Throws a usage error if the metrics of the target may not be read from a host. */
export function checkMetrics({ target, allowHosts }: Pick<Plan, 'target' | 'allowHosts'>): void {
  for (const { url } of target.metrics ?? []) {
    const refused = refusedHost({ target: { baseUrl: url, unixSocket: null, resolve: [] }, allowHosts });
    if (refused !== undefined)
      throw new ChatLoadError('usage', {
        message: `target.metrics may not read from ${refused}: it is neither this machine nor an allowed host.`,
        hint: `Nothing was sent. If you may read its metrics, allow its host: --allow-host ${refused}`,
      });
  }
}

/** Base URLs of the services that model calls are forwarded to. */
interface Forward {
  openai?: string | null | undefined;
  anthropic?: string | null | undefined;
}

/** Reports whether a pattern of a host names this one. `usual`: the only port of a pattern without one; none: any port. */
function isNamedBy(pattern: string, name: string, port: string, usual?: string): boolean {
  const { host, port: only = usual } = partsOf(pattern.toLowerCase());
  if (only !== undefined && only !== port) return false;
  return host.startsWith('*.') ? name.endsWith(host.slice(1)) : plainName(host) === name;
}

/** Splits a pattern into host and port; a lone IPv6 literal contains colons but no port. */
function partsOf(pattern: string): { host: string; port: string | undefined } {
  if (isIP(pattern) === 6) return { host: asInUrl(pattern), port: undefined };
  const [, host = pattern, port] = /^(.*?)(?::(\d+))?$/.exec(pattern) ?? [];
  return { host: host.startsWith('[') ? asInUrl(plainName(host)) : host, port };
}

/** Returns the notation of an IPv6 address in URLs. */
const asInUrl = (address: string): string =>
  isIP(address) === 6 ? plainName(new URL(`http://[${address}]`).hostname) : address;

/** Ports of schemes whose URLs name none. */
const usualPorts: Readonly<Record<string, string>> = { http: '80', https: '443', socks5: '1080', socks5h: '1080' };

interface Origin {
  scheme: string;
  name: string;
  port: string;
}

/** Returns the scheme, host and effective port of a URL. */
export function originOf({ protocol, hostname, port }: URL): Origin {
  const scheme = protocol.slice(0, -1);
  return { scheme, name: plainName(hostname.toLowerCase()), port: port === '' ? (usualPorts[scheme] ?? '') : port };
}

/** Origins that may be loaded: a machine's own choice, and those listed as texts. */
interface Allowed {
  own: string | null;
  named: readonly string[];
}

/**
 * Reports whether a machine may send its key to a URL chosen by another machine: to this machine, to the origin of its
 * own URL, or to a listed one. Scheme and effective port count: another port may be another service, and plain HTTP
 * exposes the key to everybody on the path.
 */
export function isAllowedOrigin(url: URL, { own, named }: Allowed): boolean {
  const asked = originOf(url);
  if (isLoopback(asked.name)) return true;
  return (own !== null && isSame(originOf(new URL(own)), asked)) || isNamedOrigin(url, named);
}

/** Reports whether a URL has a listed origin: even this machine is only allowed if listed. */
export function isNamedOrigin(url: URL, named: readonly string[]): boolean {
  const asked = originOf(url);
  return named.some((text) => {
    const { scheme, pattern } = originPartsOf(text);
    return scheme === asked.scheme && isNamedBy(pattern, asked.name, asked.port, usualPorts[scheme]);
  });
}

const isSame = (one: Origin, other: Origin): boolean =>
  one.scheme === other.scheme && one.name === other.name && one.port === other.port;

/** Returns the text for a URL's origin, as accepted by `isAllowedOrigin`. */
export function originText(url: URL): string {
  const { scheme, port } = originOf(url);
  const host = port === usualPorts[scheme] ? url.hostname : `${url.hostname}:${port}`;
  return scheme === 'https' ? host : `${scheme}://${host}`;
}

/** Rejects texts that are not origins. A text without a scheme means https. Throws a usage error. */
export function checkOrigins(texts: readonly string[]): readonly string[] {
  const wrong = texts.find((text) => {
    const { scheme, pattern } = originPartsOf(text);
    return usualPorts[scheme] === undefined || !allowedHosts.safeParse([pattern]).success;
  });
  if (wrong === undefined) return texts;
  throw new ChatLoadError('usage', {
    message: `--allow-host of a worker takes an origin, not '${wrong}'.`,
    hint: "Use an origin such as agent.example.com (https), agent.example.com:8443 (https), 'https://*.example.com' or http://agent.internal:8080.",
  });
}

/** Returns the host of a listed origin, as `allowHosts` lists it. */
export function hostOfOrigin(text: string): string {
  return originPartsOf(text).pattern;
}

function originPartsOf(text: string): { scheme: string; pattern: string } {
  const [, scheme = 'https', pattern = ''] = /^(?:([a-z][a-z0-9]*):\/\/)?(.*?)\/?$/i.exec(text) ?? [];
  return { scheme: scheme.toLowerCase(), pattern };
}

/** A host, with a port and a path: a name with a dot or a port, `localhost`, or an address. */
const schemeless = /^(?:\/\/)?((localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\]|[\w-]+(?=:\d))(?::\d+)?(?:\/.*)?)$/i;

/**
 * Returns the message for a base URL without a scheme, such as `localhost:8000/v1`, which parses as a URL of the scheme
 * `localhost`; `undefined` for any other text. It names the URL that was meant: `http` for loopback hosts, otherwise
 * `https`.
 */
export function lacksScheme(url: string): string | undefined {
  const [, rest = '', host = ''] = schemeless.exec(url) ?? [];
  if (rest === '') return undefined;
  return `has no scheme: did you mean ${isLoopback(plainName(host)) ? 'http' : 'https'}://${rest}?`;
}
