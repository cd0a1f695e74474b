import { messageOf } from './errors.ts';

/** A proxy on the way to a target, read once. */
export interface ProxyServer {
  /** `socks5` resolves the target's name on this machine, `socks5h` on the proxy, as in curl. */
  scheme: ProxyScheme;
  /** An IPv6 address without brackets. */
  host: string;
  port: number;
  /** Scheme, host and port: the part that is safe to show. */
  name: string;
  credentials: ProxyCredentials | undefined;
}

export interface ProxyCredentials {
  user: string;
  password: string;
}

type ProxyScheme = keyof typeof usualPorts;

const usualPorts = { http: 80, https: 443, socks5: 1080, socks5h: 1080 } as const;

/**
 * Parses the URL of a proxy, with its user and password decoded; one without a scheme is an HTTP proxy. Throws an error
 * that describes the problem but contains nothing of the URL except its scheme: a password may be anywhere in it.
 */
export function readProxyServer(text: string): ProxyServer {
  const url = urlOf(text.includes('://') ? text : `http://${text}`);
  const scheme = url.protocol.slice(0, -1);
  if (!isScheme(scheme)) throw new Error(`${url.protocol}// is not a scheme of a proxy: ${expected}`);
  if (url.hostname === '') throw new Error(`it names no host: ${expected}`);
  if (!/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    throw new Error('a proxy has no path, no query and no fragment; write %2F, %3F and %23 in a password');
  if (url.port === '0') throw new Error('a proxy has no port 0');
  const port = url.port === '' ? usualPorts[scheme] : Number(url.port);
  return {
    scheme,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    name: `${scheme}://${url.hostname}:${String(port)}`,
    credentials: credentialsOf(url, scheme),
  };
}

export function proxyUrl({ name, credentials }: ProxyServer): string {
  if (credentials === undefined) return name;
  const [user, password] = [credentials.user, credentials.password].map(encodeURIComponent);
  return name.replace('://', `://${user ?? ''}:${password ?? ''}@`);
}

/** Reports whether the proxy forwards requests to a target; otherwise it tunnels a connection. */
export function isForwarded(target: URL, { scheme }: ProxyServer): boolean {
  return target.protocol === 'http:' && !scheme.startsWith('socks');
}

/** Returns the value of `Proxy-Authorization`, which is as secret as the password. */
export function basicCredentials({ user, password }: ProxyCredentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

const expected = "expected a URL such as 'http://proxy:3128', with http, https, socks5 or socks5h";

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw new Error(`it is not a URL: ${expected}`);
  return new URL(text);
}

const isScheme = (scheme: string): scheme is ProxyScheme => Object.hasOwn(usualPorts, scheme);

function credentialsOf({ username, password }: URL, scheme: ProxyScheme): ProxyCredentials | undefined {
  if (username === '' && password === '') return undefined;
  const credentials = { user: decode(username, 'user name'), password: decode(password, 'password') };
  if (scheme.startsWith('socks')) checkSocksLengths(credentials);
  else if (credentials.user.includes(':'))
    throw new Error('the user name contains a colon, which proxies read as its end');
  return credentials;
}

function decode(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch (failed) {
    throw new Error(`the ${what} contains a % that does not start an escape (${messageOf(failed)}); write %25 for %`, {
      cause: failed,
    });
  }
}

/** Checks the lengths of SOCKS5 credentials, which RFC 1929 stores in one byte each. */
function checkSocksLengths({ user, password }: ProxyCredentials): void {
  const isTaken = (text: string): boolean => text !== '' && Buffer.byteLength(text) <= 255;
  if (!isTaken(user) || !isTaken(password))
    throw new Error('SOCKS5 requires a user name and a password of 1 to 255 bytes each');
}
