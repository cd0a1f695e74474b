import { ChatLoadError } from '../base/errors.ts';
import { allowedHosts } from '../scenario/allowed-hosts.ts';
import { isLoopback, plainName } from './host-names.ts';
import { isNamedBy } from './refused-host.ts';

/** Ports of schemes whose URLs name none. */
const usualPorts: Readonly<Record<string, string>> = { http: '80', https: '443', socks5: '1080', socks5h: '1080' };

interface Origin {
  scheme: string;
  name: string;
  port: string;
}

function originOf({ protocol, hostname, port }: URL): Origin {
  const scheme = protocol.slice(0, -1);
  return { scheme, name: plainName(hostname.toLowerCase()), port: port === '' ? (usualPorts[scheme] ?? '') : port };
}

/** Origins that may be loaded: one that a machine has chosen by itself, and those that it names by texts. */
interface Allowed {
  own: string | null;
  named: readonly string[];
}

/**
 * Reports whether a machine may send its key to a URL that another one has chosen: to this machine, to the origin of its
 * own URL, or to one that it names. Scheme and effective port count: another port may be another service, and plain HTTP
 * shows the key to everybody on the path.
 */
export function isAllowedOrigin(url: URL, { own, named }: Allowed): boolean {
  const asked = originOf(url);
  if (isLoopback(asked.name)) return true;
  return (own !== null && isSame(originOf(new URL(own)), asked)) || isNamedOrigin(url, named);
}

/** The same by those texts alone: not even this machine is allowed without one. */
export function isNamedOrigin(url: URL, named: readonly string[]): boolean {
  const asked = originOf(url);
  return named.some((text) => {
    const { scheme, pattern } = partsOf(text);
    return scheme === asked.scheme && isNamedBy(pattern, asked.name, asked.port, usualPorts[scheme]);
  });
}

const isSame = (one: Origin, other: Origin): boolean =>
  one.scheme === other.scheme && one.name === other.name && one.port === other.port;

/** The text that names the origin of a URL, as `isAllowedOrigin` takes it. */
export function originText(url: URL): string {
  const { scheme, port } = originOf(url);
  const host = port === usualPorts[scheme] ? url.hostname : `${url.hostname}:${port}`;
  return scheme === 'https' ? host : `${scheme}://${host}`;
}

/** Refuses texts that name no origin. A text without a scheme means https. Throws a usage error. */
export function checkOrigins(texts: readonly string[]): readonly string[] {
  const wrong = texts.find((text) => {
    const { scheme, pattern } = partsOf(text);
    return usualPorts[scheme] === undefined || !allowedHosts.safeParse([pattern]).success;
  });
  if (wrong === undefined) return texts;
  throw new ChatLoadError('usage', {
    message: `--allow-host of a worker takes an origin, not '${wrong}'.`,
    hint: "Give one such as agent.example.com (https), agent.example.com:8443 (https), 'https://*.example.com' or http://agent.internal:8080.",
  });
}

function partsOf(text: string): { scheme: string; pattern: string } {
  const [, scheme = 'https', pattern = ''] = /^(?:([a-z][a-z0-9]*):\/\/)?(.*?)\/?$/i.exec(text) ?? [];
  return { scheme: scheme.toLowerCase(), pattern };
}
