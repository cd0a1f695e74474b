import { messageOf } from '../../../base/errors.ts';
import { excerpt } from '../../../base/excerpt.ts';

/** Reason for a failed connection, and the remedy. Contains raw text of the other side. */
export interface ConnectFailure {
  what: string;
  remedy: string;
  /** Raw beginning of the answer of something that is not a proxy. */
  said?: string;
  /** Set if this process lacked something: the target is not to blame. */
  lack?: 'descriptor' | 'port';
  /** Set if a proxy refuses tunnels, which does not concern requests that it has to forward. */
  mayForward?: true;
}

export class ConnectError extends Error {
  readonly failure: ConnectFailure;

  constructor(failure: ConnectFailure) {
    super(failure.what);
    this.failure = failure;
  }
}

/** Describes an error of connecting (DNS, TCP or TLS). `place` is the requested host and port. */
export function describeConnectFailure(error: unknown, place: string): ConnectFailure {
  if (error instanceof ConnectError) return error.failure;
  const cause = mostSpecific(error);
  const [code, syscall] = [textOf(cause, 'code'), textOf(cause, 'syscall')];
  const known =
    (place.startsWith('/') ? failures.get(`unix ${code}`) : undefined) ??
    failures.get(`${syscall} ${code}`) ??
    failures.get(code);
  if (known !== undefined) return { ...known, what: `${known.what} (${code}, ${place})` };
  const certificateRemedy = certificateRemedies.get(code);
  if (certificateRemedy !== undefined)
    return {
      what: `the TLS certificate of ${place} is not trusted: ${messageOf(cause)}`,
      remedy: certificateRemedy,
    };
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
    const { what, remedy } = describeTlsFailure(code, messageOf(cause));
    return { what: `the TLS handshake with ${place} failed: ${what}`, remedy };
  }
  return { what: `no connection to ${place}: ${messageOf(cause)}`, remedy: 'look at the base URL and the network' };
}

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

export function connectFailureText(failure: ConnectFailure, redact: (text: string) => string): string {
  return `${connectFailureReason(failure, redact)}; ${failure.remedy}`;
}

export function connectFailureReason({ what, said }: ConnectFailure, redact: (text: string) => string): string {
  return said === undefined ? what : `${what}: it says ${JSON.stringify(excerpt(said, redact, maxQuoteLength))}`;
}

const maxQuoteLength = 60;

const lookAtNetwork = 'look at the base URL, the network and the firewall';
const fewerSockets = 'raise the descriptor limit (ulimit -n) or lower the concurrency';
const lookAtSocket = 'look at target.unixSocket (--unix-socket)';

/**
 * Failures by code: with `unix`, of Unix sockets alone; with a call, of a given local address. The ports of an address
 * are taken when it is bound, but reported at the connect.
 */
const failures: ReadonlyMap<string, ConnectFailure> = new Map(
  Object.entries({
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
    'unix ENOENT': { what: 'there is no such Unix socket', remedy: `is the service running? If so, ${lookAtSocket}` },
    'unix ECONNREFUSED': {
      what: 'nobody listens on the Unix socket, or it is not a socket',
      remedy: `is the service running? If so, ${lookAtSocket}`,
    },
    'unix ENOTSOCK': { what: 'this is not a Unix socket', remedy: lookAtSocket },
    'unix EACCES': {
      what: 'this user may not connect to the Unix socket',
      remedy: 'give it write permission on the socket',
    },
    'unix EAGAIN': {
      what: 'the Unix socket has no room for more waiting connections',
      remedy: 'lower the concurrency',
    },
    'unix ENOTDIR': { what: 'there is no such Unix socket', remedy: lookAtSocket },
    'bind EADDRNOTAVAIL': {
      what: 'the local address is not on this machine',
      remedy: 'remove it from target.localAddresses (--local-address), or add it to a network interface',
    },
    'bind EINVAL': {
      what: 'the local address and the target are not of the same family (IPv4, IPv6)',
      remedy: 'name local addresses of the family of the target (--local-address)',
    },
    'connect EINVAL': {
      what: 'there is no route from the local address to the target',
      remedy: 'a loopback address reaches only this machine: name an address of the network (--local-address)',
    },
  } satisfies Record<string, ConnectFailure>),
);

const nameCa =
  'have the service present a valid certificate, or name its CA file with --ca (target.tls.ca) or in NODE_EXTRA_CA_CERTS';
const otherName =
  'look at the host of the base URL, or say which name to expect with --tls-server-name (target.tls.serverName)';
const otherTime = 'have the service present a certificate that is valid now, and look at the clock of this machine';

/** Certificate verdicts of OpenSSL that Node passes on, and its own on the name. Source: Node's TLS documentation. */
const certificateRemedies: ReadonlyMap<string, string> = new Map([
  ['ERR_TLS_CERT_ALTNAME_INVALID', otherName],
  ['CERT_CHAIN_TOO_LONG', nameCa],
  ['CERT_HAS_EXPIRED', otherTime],
  ['CERT_NOT_YET_VALID', otherTime],
  ['CERT_REJECTED', nameCa],
  ['CERT_REVOKED', nameCa],
  ['CERT_SIGNATURE_FAILURE', nameCa],
  ['CERT_UNTRUSTED', nameCa],
  ['CRL_HAS_EXPIRED', nameCa],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', nameCa],
  ['HOSTNAME_MISMATCH', otherName],
  ['INVALID_CA', nameCa],
  ['INVALID_PURPOSE', nameCa],
  ['SELF_SIGNED_CERT_IN_CHAIN', nameCa],
  ['UNABLE_TO_GET_ISSUER_CERT', nameCa],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', nameCa],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', nameCa],
]);

/** The codes for an address without a route from this machine, such as `::1` where IPv6 is off. */
const unroutable: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'ENETUNREACH', 'EHOSTUNREACH', 'EAFNOSUPPORT']);

/** If several addresses were tried, the first one with a route is reported. */
const mostSpecific = (error: unknown): unknown => {
  if (!(error instanceof AggregateError) || error.errors.length === 0) return error;
  const errors: readonly unknown[] = error.errors;
  return errors.find((each) => !unroutable.has(textOf(each, 'code'))) ?? errors[0];
};

const textOf = (error: unknown, field: 'code' | 'syscall'): string => {
  if (typeof error !== 'object' || error === null || !(field in error)) return '';
  const value: unknown = Reflect.get(error, field);
  return String(value);
};

/** Describes an error of OpenSSL by the code that Node derives from it, otherwise by its reason alone. */
export function describeTlsFailure(code: string, message: string): ConnectFailure {
  const known = Object.entries(tlsFailures).find(([end]) => code.endsWith(end))?.[1];
  return known ?? { what: reasonIn(message), remedy: plainRemedy };
}

/** Returns the reason in a text such as `80DC5035:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:file.c:350:`. */
function reasonIn(message: string): string {
  return /error:[0-9A-F]+:[^:]*:[^:]*:([^:]+)/.exec(message)?.[1] ?? message.trim();
}

const plainRemedy = 'does the service speak TLS there? Otherwise the base URL starts with http://';
const noTls: ConnectFailure = { what: 'it answers without TLS', remedy: plainRemedy };
const noVersion: ConnectFailure = {
  what: 'the two have no version of TLS in common',
  remedy: 'chat-load takes TLS 1.2 and 1.3, and nothing below target.tls.minVersion (--tls-min-version)',
};
const clientCertificate =
  'name one that it takes, with --cert and --key or --pfx (target.tls), and give the certificates between with it';
const refused = (why: string): ConnectFailure => ({
  what: `the server refuses the client certificate: ${why}`,
  remedy: clientCertificate,
});

/** Failures by the end of the code: its beginning differs between versions of OpenSSL. */
const tlsFailures: Readonly<Record<string, ConnectFailure>> = {
  _WRONG_VERSION_NUMBER: noTls,
  _PACKET_LENGTH_TOO_LONG: noTls,
  _HTTP_REQUEST: noTls,
  _NO_APPLICATION_PROTOCOL: {
    what: 'the server speaks HTTP/2 alone',
    remedy: 'set target.http2 (--http2), or enable HTTP/1.1 on the server',
  },
  _CERTIFICATE_REQUIRED: { what: 'the server asks for a client certificate', remedy: clientCertificate },
  _ALERT_UNKNOWN_CA: refused('it does not know its authority'),
  _ALERT_CERTIFICATE_EXPIRED: refused('it has expired'),
  _ALERT_CERTIFICATE_REVOKED: refused('it was revoked'),
  _ALERT_BAD_CERTIFICATE: refused('it cannot be verified'),
  _ALERT_UNSUPPORTED_CERTIFICATE: refused('the server does not accept this kind'),
  _ALERT_CERTIFICATE_UNKNOWN: refused('no reason given'),
  _ALERT_ACCESS_DENIED: refused('it is valid, but not allowed there'),
  _ALERT_HANDSHAKE_FAILURE: {
    what: 'the server refused it; it may ask for a client certificate, or for another one',
    remedy: `${clientCertificate}. Otherwise the two have no cipher in common`,
  },
  _PROTOCOL_VERSION: noVersion,
  _UNSUPPORTED_PROTOCOL: noVersion,
  _UNRECOGNIZED_NAME: {
    what: 'the server has no service of that host name',
    remedy: 'look at the host name in the base URL, or name another with --tls-server-name',
  },
};
