import { messageOf } from '../../../base/errors.ts';
import { excerpt } from '../../../base/excerpt.ts';

/** Reason for a failed connection, and the remedy. Contains raw text of the other side. */
export interface ConnectFailure {
  what: string;
  remedy: string;
  /** Raw beginning of the answer of something that is not a proxy. */
  answer?: string;
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
  return { what: `no connection to ${place}: ${messageOf(cause)}`, remedy: 'check the base URL and the network' };
}

export function describeConnectTimeout(timeoutMs: number, place: string): ConnectFailure {
  return {
    what: `no connection to ${place} within ${String(timeoutMs)} ms`,
    remedy: 'check that the host is up and that no firewall blocks it; on a slow network, raise the connect timeout',
  };
}

/** Describes a TLS handshake that exceeded its time although TCP was connected. */
export function describeHandshakeTimeout(timeoutMs: number, place: string): ConnectFailure {
  return {
    what: `${place} accepted the connection, but did not answer the TLS handshake within ${String(timeoutMs)} ms`,
    remedy: 'check that it uses TLS; otherwise start the base URL with http://',
  };
}

export function connectFailureText(failure: ConnectFailure, redact: (text: string) => string): string {
  return `${connectFailureReason(failure, redact)}; ${failure.remedy}`;
}

export function connectFailureReason({ what, answer }: ConnectFailure, redact: (text: string) => string): string {
  return answer === undefined
    ? what
    : `${what}: it answered ${JSON.stringify(excerpt(answer, redact, maxQuoteLength))}`;
}

const maxQuoteLength = 60;

const checkNetwork = 'check the base URL, the network and the firewall';
const fewerSockets = 'raise the descriptor limit (ulimit -n) or lower the concurrency';
const checkSocket = 'check target.unixSocket (--unix-socket)';

/**
 * Failures by code: with `unix`, of Unix sockets alone; with a call, of a given local address. The ports of an address
 * are taken when it is bound, but reported at the connect.
 */
const failures: ReadonlyMap<string, ConnectFailure> = new Map(
  Object.entries({
    ECONNREFUSED: {
      what: 'connection refused',
      remedy: 'check that the service is running and that the port of the base URL is correct',
    },
    ECONNRESET: {
      what: 'the server closed the connection while it was being set up',
      remedy:
        'check that the service is not overloaded and that it uses TLS if (and only if) the base URL starts with https://; it may also have refused the client certificate, or the lack of one (--cert)',
    },
    ETIMEDOUT: { what: 'the host did not answer', remedy: checkNetwork },
    EHOSTUNREACH: { what: 'the host is unreachable', remedy: checkNetwork },
    ENETUNREACH: { what: 'the network is unreachable', remedy: checkNetwork },
    ENOTFOUND: { what: 'the host name is unknown', remedy: 'check the host name in the base URL' },
    EAI_AGAIN: { what: 'the host name could not be looked up', remedy: 'check that the DNS server is reachable' },
    EMFILE: { what: 'this process has no file descriptor left', remedy: fewerSockets, lack: 'descriptor' },
    ENFILE: { what: 'this machine has no file descriptor left', remedy: fewerSockets, lack: 'descriptor' },
    EADDRNOTAVAIL: {
      what: 'no local port is free for another connection',
      remedy: 'lower the concurrency, let the server keep connections alive, or widen net.ipv4.ip_local_port_range',
      lack: 'port',
    },
    EADDRINUSE: {
      what: 'no port of the local address is free for another connection',
      remedy: 'lower the concurrency or add local addresses (--local-address)',
      lack: 'port',
    },
    ENOBUFS: { what: 'no memory is left for another socket', remedy: 'lower the concurrency' },
    'unix ENOENT': {
      what: 'the Unix socket does not exist',
      remedy: `check that the service is running; if so, ${checkSocket}`,
    },
    'unix ECONNREFUSED': {
      what: 'no process listens on the Unix socket, or it is not a socket',
      remedy: `check that the service is running; if so, ${checkSocket}`,
    },
    'unix ENOTSOCK': { what: 'the path is not a Unix socket', remedy: checkSocket },
    'unix EACCES': {
      what: 'this user may not connect to the Unix socket',
      remedy: 'grant it write permission on the socket',
    },
    'unix EAGAIN': {
      what: 'the queue of the Unix socket for waiting connections is full',
      remedy: 'lower the concurrency',
    },
    'unix ENOTDIR': { what: 'the Unix socket does not exist', remedy: checkSocket },
    'bind EADDRNOTAVAIL': {
      what: 'the local address does not belong to this machine',
      remedy: 'remove it from target.localAddresses (--local-address), or add it to a network interface',
    },
    'bind EINVAL': {
      what: 'the local address and the target have different families (IPv4, IPv6)',
      remedy: 'use local addresses of the same family as the target (--local-address)',
    },
    'connect EINVAL': {
      what: 'the target cannot be routed to from the local address',
      remedy: 'a loopback address reaches only this machine: use an address of the network (--local-address)',
    },
  } satisfies Record<string, ConnectFailure>),
);

const nameCa =
  'have the service present a valid certificate, or name its CA file with --ca (target.tls.ca) or in NODE_EXTRA_CA_CERTS';
const otherName =
  'check the host of the base URL, or set the expected name with --tls-server-name (target.tls.serverName)';
const otherTime = 'have the service present a certificate that is valid now, and check the clock of this machine';

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

const plainRemedy = 'check that the service uses TLS on this port; otherwise start the base URL with http://';
const noTls: ConnectFailure = { what: 'the server answered without TLS', remedy: plainRemedy };
const noVersion: ConnectFailure = {
  what: 'client and server have no TLS version in common',
  remedy: 'chat-load supports TLS 1.2 and 1.3, not below target.tls.minVersion (--tls-min-version)',
};
const clientCertificate =
  'set an accepted certificate with --cert and --key or --pfx (target.tls), including its intermediate certificates';
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
    what: 'the server supports only HTTP/2',
    remedy: 'set target.http2 (--http2), or enable HTTP/1.1 on the server',
  },
  _CERTIFICATE_REQUIRED: { what: 'the server requires a client certificate', remedy: clientCertificate },
  _ALERT_UNKNOWN_CA: refused('its authority is unknown to the server'),
  _ALERT_CERTIFICATE_EXPIRED: refused('it has expired'),
  _ALERT_CERTIFICATE_REVOKED: refused('it was revoked'),
  _ALERT_BAD_CERTIFICATE: refused('it cannot be verified'),
  _ALERT_UNSUPPORTED_CERTIFICATE: refused('the server does not accept this kind'),
  _ALERT_CERTIFICATE_UNKNOWN: refused('no reason given'),
  _ALERT_ACCESS_DENIED: refused('it is valid, but has no access'),
  _ALERT_HANDSHAKE_FAILURE: {
    what: 'the server refused it; it may require a client certificate, or another one',
    remedy: `${clientCertificate}. Otherwise client and server have no cipher in common`,
  },
  _PROTOCOL_VERSION: noVersion,
  _UNSUPPORTED_PROTOCOL: noVersion,
  _UNRECOGNIZED_NAME: {
    what: 'the server does not serve this host name',
    remedy: 'check the host name in the base URL, or set another with --tls-server-name',
  },
};
