import { describe, expect, test } from 'vitest';
import { describeConnectFailure, connectFailureText } from './connect-failure.ts';

const failed = (code: string, message = `connect ${code}`): Error => Object.assign(new Error(message), { code });
const describeError = (error: unknown): string => connectFailureText(describeConnectFailure(error, 'host:80'), String);

describe('a failure to connect', () => {
  test.each([
    ['ECONNREFUSED', 'connection refused', 'check that the service is running'],
    ['ENOTFOUND', 'host name is unknown', 'base URL'],
    ['EAI_AGAIN', 'looked up', 'DNS'],
    ['EHOSTUNREACH', 'host is unreachable', 'network'],
    ['ENETUNREACH', 'network is unreachable', 'firewall'],
    ['ETIMEDOUT', 'did not answer', 'firewall'],
    ['ECONNRESET', 'closed the connection', 'https'],
    ['EMFILE', 'no file descriptor left', 'ulimit -n'],
    ['ENFILE', 'no file descriptor left', 'concurrency'],
    ['EADDRNOTAVAIL', 'no local port', 'ip_local_port_range'],
    ['EADDRINUSE', 'no port of the local address', '--local-address'],
    ['CERT_HAS_EXPIRED', 'certificate of host:80 is not trusted', 'valid now'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', '--tls-server-name'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate', 'NODE_EXTRA_CA_CERTS'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'TLS handshake with host:80 failed', 'http://'],
    ['EPROTO', 'TLS handshake', 'http://'],
  ])('of %s is described with its location and a remedy', (code, what, remedy) => {
    const text = describeError(failed(code));
    expect(text).toContain(what);
    expect(text).toContain('host:80');
    expect(text.slice(text.indexOf(what))).toContain(remedy);
  });

  test.each([
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'wrong version number', 'the server answered without TLS', 'http://'],
    ['ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL', 'tlsv1 alert no application protocol', 'supports only HTTP/2', 'HTTP/1.1'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tlsv13 alert certificate required', 'requires a client certificate', '--cert'],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'tlsv1 alert unknown ca', 'refuses the client certificate: its authority is unknown to the server', '--cert'],
    ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'sslv3 alert handshake failure', 'client certificate', 'cipher'],
    ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'ssl/tls alert handshake failure', 'client certificate', 'cipher'],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tlsv1 alert protocol version', 'no TLS version in common', 'TLS 1.2'],
    ['ERR_SSL_TLSV1_UNRECOGNIZED_NAME', 'tlsv1 unrecognized name', 'does not serve this host name', 'host name'],
    ['ERR_SSL_BAD_SIGNATURE', 'bad signature', 'bad signature', 'TLS'],
  ])('of %s is described without the text that OpenSSL adds', (code, reason, what, remedy) => {
    const raw = `80DC5035B17F0000:error:0A00010B:SSL routines:ssl3_get_record:${reason}:../deps/openssl/ssl/record.c:350:\n`;
    const failure = describeConnectFailure(Object.assign(new Error(raw), { code }), 'host:80');
    expect(failure.what).toContain('the TLS handshake with host:80 failed: ');
    expect([failure.what, failure.remedy]).toEqual([expect.stringContaining(what), expect.stringContaining(remedy)]);
    expect(connectFailureText(failure, String)).not.toMatch(/error:|routines|0A00010B|80DC|\.c:|\n/);
  }); // prettier-ignore

  test.each([
    ['bind', 'EADDRNOTAVAIL', 'the local address does not belong to this machine'],
    ['bind', 'EINVAL', 'have different families'],
    ['connect', 'EINVAL', 'cannot be routed to from the local address'],
    ['connect', 'EADDRNOTAVAIL', 'no local port is free'],
  ])('at the %s, of %s, is reported as such', (syscall, code, words) => {
    expect(describeError(Object.assign(failed(code), { syscall }))).toContain(words);
  });

  test('distinguishes a shortage of this process from failures of the target', () => {
    const lackOf = (code: string): string | undefined => describeConnectFailure(failed(code), 'host:80').lack;
    expect(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'EADDRINUSE'].map(lackOf)).toEqual([
      'descriptor',
      'descriptor',
      'port',
      'port',
    ]);
    expect(['ECONNREFUSED', 'ENOTFOUND', 'EWEIRD'].map(lackOf)).toEqual([undefined, undefined, undefined]);
  });

  test('of an unknown kind keeps its own message', () => {
    expect(describeError(failed('EWEIRD', 'it is raining'))).toContain('it is raining');
    expect(describeError(failed('toString', 'named like a method'))).toContain('named like a method');
    expect(describeError('just text')).toContain('just text');
  });

  test('of several addresses is reported for the first with a route', () => {
    const [refused, noWay] = [failed('ECONNREFUSED'), failed('EADDRNOTAVAIL')];
    expect(describeError(new AggregateError([refused, failed('ETIMEDOUT')]))).toContain('connection refused');
    expect(describeError(new AggregateError([noWay, refused]))).toContain('connection refused');
    expect(describeError(new AggregateError([noWay, noWay]))).toContain('no local port');
  });
});
