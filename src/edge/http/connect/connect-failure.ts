import { messageOf } from '../../../base/errors.ts';
import { excerpt } from '../../../base/excerpt.ts';
import { describeTlsFailure, type TlsFailure } from './tls-failure.ts';

/** Why no connection was made, and what a person can do about it. Contains raw text of the other side. */
export interface ConnectFailure {
  what: string;
  remedy: string;
  /** Raw beginning of the answer of something that is not a proxy. */
  said?: string;
  /** Set when this process lacked something: the target is not to blame. */
  lack?: 'descriptor' | 'port';
  /** Set when a proxy makes no tunnel, which says nothing of requests that it is to forward. */
  mayForward?: true;
}

/** An error that is described already. */
export class ConnectError extends Error {
  readonly failure: ConnectFailure;

  constructor(failure: ConnectFailure) {
    super(failure.what);
    this.failure = failure;
  }
}

/** Puts an error of connecting (DNS, TCP or TLS) into words. `place` is the host and port that were meant. */
export function describeConnectFailure(error: unknown, place: string): ConnectFailure {
  if (error instanceof ConnectError) return error.failure;
  const cause = mostSpecific(error);
  const code = codeOf(cause);
  const known =
    (place.startsWith('/') ? ofUnixSockets.get(code) : undefined) ??
    bindFailures.get(`${syscallOf(cause)} ${code}`) ??
    (Object.hasOwn(byCode, code) ? byCode[code] : undefined);
  if (known !== undefined) return { ...known, what: `${known.what} (${code}, ${place})` };
  if (certificateCodes.has(code)) return certificateFailure(code, messageOf(cause), place);
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO')
    return handshakeFailure(describeTlsFailure(code, messageOf(cause)), place);
  return { what: `no connection to ${place}: ${messageOf(cause)}`, remedy: 'look at the base URL and the network' };
}

/** The same for a connection that was not made in time. */
export function describeConnectTimeout(timeoutMs: number, place: string): ConnectFailure {
  return {
    what: `no connection to ${place} within ${String(timeoutMs)} ms`,
    remedy: 'is the host up, and does a firewall let it be reached? A longer connect timeout helps a slow network',
  };
}

/** Describes a TLS handshake that was not over in time, though TCP was connected. */
export function describeHandshakeTimeout(timeoutMs: number, place: string): ConnectFailure {
  return {
    what: `${place} accepted the connection, but did not answer the TLS handshake within ${String(timeoutMs)} ms`,
    remedy: 'does it speak TLS? Otherwise the base URL starts with http://',
  };
}

/** A failure as one text. */
export function connectFailureText(failure: ConnectFailure, redact: (text: string) => string): string {
  return `${connectFailureReason(failure, redact)}; ${failure.remedy}`;
}

/** The same without its remedy. */
export function connectFailureReason({ what, said }: ConnectFailure, redact: (text: string) => string): string {
  return said === undefined ? what : `${what}: it says ${JSON.stringify(excerpt(said, redact, maxQuoteLength))}`;
}

const maxQuoteLength = 60;

const lookAtNetwork = 'look at the base URL, the network and the firewall';
const fewerSockets = 'raise the descriptor limit (ulimit -n) or lower the concurrency';

const byCode: Readonly<Record<string, ConnectFailure>> = {
  ECONNREFUSED: {
    what: 'connection refused',
    remedy: 'is the service running, and is the port of the base URL right?',
  },
  ECONNRESET: {
    what: 'the server closed the connection while it was being set up',
    remedy:
      'is the service overloaded, and does it speak TLS if (and only if) the base URL says https? A server may also refuse the client certificate so, or the lack of one (--cert)',
  },
  ETIMEDOUT: { what: 'the host did not answer', remedy: lookAtNetwork },
  EHOSTUNREACH: { what: 'the host is unreachable', remedy: lookAtNetwork },
  ENETUNREACH: { what: 'the network is unreachable', remedy: lookAtNetwork },
  ENOTFOUND: { what: 'the host name is not known', remedy: 'look at the host name in the base URL' },
  EAI_AGAIN: { what: 'the host name could not be looked up', remedy: 'is the DNS server reachable?' },
  EMFILE: { what: 'this process has no file descriptor left', remedy: fewerSockets, lack: 'descriptor' },
  ENFILE: { what: 'this machine has no file descriptor left', remedy: fewerSockets, lack: 'descriptor' },
  EADDRNOTAVAIL: {
    what: 'no local port is free for another connection',
    remedy: 'lower the concurrency, let the server keep connections alive, or widen net.ipv4.ip_local_port_range',
    lack: 'port',
  },
  EADDRINUSE: {
    what: 'no port of the local address is free for another connection',
    remedy: 'lower the concurrency or name more local addresses (--local-address)',
    lack: 'port',
  },
  ENOBUFS: { what: 'no memory is left for another socket', remedy: 'lower the concurrency' },
};

const lookAtSocket = 'look at target.unixSocket (--unix-socket)';

/** Failures with a Unix socket, by code. */
const ofUnixSockets: ReadonlyMap<string, ConnectFailure> = new Map([
  ['ENOENT', { what: 'there is no such Unix socket', remedy: `is the service running? If so, ${lookAtSocket}` }],
  [
    'ECONNREFUSED',
    {
      what: 'nobody listens on the Unix socket, or it is no socket',
      remedy: `is the service running? If so, ${lookAtSocket}`,
    },
  ],
  ['ENOTSOCK', { what: 'this is no Unix socket', remedy: lookAtSocket }],
  [
    'EACCES',
    { what: 'this user may not connect to the Unix socket', remedy: 'give it write permission on the socket' },
  ],
  ['EAGAIN', { what: 'the Unix socket has no room for more waiting connections', remedy: 'lower the concurrency' }],
  ['ENOTDIR', { what: 'there is no such Unix socket', remedy: lookAtSocket }],
]);

/**
 * Failures with a given local address, by call and code. Its ports are taken when it is bound, but reported at the
 * connect.
 */
const bindFailures: ReadonlyMap<string, ConnectFailure> = new Map([
  [
    'bind EADDRNOTAVAIL',
    {
      what: 'the local address is not on this machine',
      remedy: 'remove it from target.localAddresses (--local-address), or add it to a network interface',
    },
  ],
  [
    'bind EINVAL',
    {
      what: 'the local address and the target are not of the same family (IPv4, IPv6)',
      remedy: 'name local addresses of the family of the target (--local-address)',
    },
  ],
  [
    'connect EINVAL',
    {
      what: 'there is no route from the local address to the target',
      remedy: 'a loopback address reaches only this machine: name an address of the network (--local-address)',
    },
  ],
]);

/** The certificate verdicts of OpenSSL that Node passes on, and its own on the name. Source: Node's TLS documentation. */
const certificateCodes: ReadonlySet<string> = new Set([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CRL_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

const certificateFailure = (code: string, message: string, place: string): ConnectFailure => ({
  what: `the TLS certificate of ${place} is not trusted: ${message}`,
  remedy: certificateRemedies[code] ?? nameCa,
});

const nameCa =
  'have the service present a valid certificate, or name its CA file with --ca (target.tls.ca) or in NODE_EXTRA_CA_CERTS';
const otherName =
  'look at the host of the base URL, or say which name to expect with --tls-server-name (target.tls.serverName)';
const otherTime = 'have the service present a certificate that is valid now, and look at the clock of this machine';

const certificateRemedies: Readonly<Partial<Record<string, string>>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: otherName,
  HOSTNAME_MISMATCH: otherName,
  CERT_HAS_EXPIRED: otherTime,
  CERT_NOT_YET_VALID: otherTime,
};

const handshakeFailure = ({ what, remedy }: TlsFailure, place: string): ConnectFailure => ({
  what: `the TLS handshake with ${place} failed: ${what}`,
  remedy,
});

/** The codes for an address without a route from this machine, such as `::1` where IPv6 is off. */
const unroutable: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'ENETUNREACH', 'EHOSTUNREACH', 'EAFNOSUPPORT']);

/** Where several addresses were tried, the first one with a route is reported. */
const mostSpecific = (error: unknown): unknown => {
  if (!(error instanceof AggregateError) || error.errors.length === 0) return error;
  const errors: readonly unknown[] = error.errors;
  return errors.find((each) => !unroutable.has(codeOf(each))) ?? errors[0];
};

const codeOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return String(error.code);
};

const syscallOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'syscall' in error ? String(error.syscall) : '';
