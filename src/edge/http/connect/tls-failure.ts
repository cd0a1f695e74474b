/** A TLS handshake that failed, and its remedy. */
interface TlsFailure {
  what: string;
  remedy: string;
}

/** Describes an error of OpenSSL by the code that Node derives from it, otherwise by its reason alone. */
export function describeTlsFailure(code: string, message: string): TlsFailure {
  const known = Object.entries(failures).find(([end]) => code.endsWith(end))?.[1];
  return known ?? { what: reasonIn(message), remedy: plainRemedy };
}

/** Returns the reason in a text such as `80DC5035:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:file.c:350:`. */
function reasonIn(message: string): string {
  return /error:[0-9A-F]+:[^:]*:[^:]*:([^:]+)/.exec(message)?.[1] ?? message.trim();
}

const plainRemedy = 'does the service speak TLS there? Otherwise the base URL starts with http://';
const noTls: TlsFailure = { what: 'it answers without TLS', remedy: plainRemedy };
const noVersion: TlsFailure = {
  what: 'the two have no version of TLS in common',
  remedy: 'chat-load takes TLS 1.2 and 1.3, and nothing below target.tls.minVersion (--tls-min-version)',
};
const clientCertificate =
  'name one that it takes, with --cert and --key or --pfx (target.tls), and give the certificates between with it';
const refused = (why: string): TlsFailure => ({
  what: `the server refuses the client certificate: ${why}`,
  remedy: clientCertificate,
});

/** Failures by the end of the code: its beginning differs between versions of OpenSSL. */
const failures: Readonly<Record<string, TlsFailure>> = {
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
