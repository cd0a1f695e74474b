import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { ms } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import { probeConnection } from '../../src/edge/http/probe-connection.ts';
import type { TlsOptions } from '../../src/edge/http/connect/secure-options.ts';
import type { Sender } from '../../src/edge/http/sender/sender-options.ts';
import { openAuthority, requireOpenssl, type Authority, type Identity } from '../support/certificate-authority.ts';
import { openPeer, openTestSender, response, sendOne, type Arrival, type Peer } from '../support/http-peer.ts';

const closing = response('{}', { lines: ['Connection: close'] });

describe.runIf(requireOpenssl())('TLS with certificates of a private authority', () => {
  let authority: Authority;
  let service: Identity;
  let client: Identity;
  let stranger: Identity;

  beforeAll(async () => {
    authority = await openAuthority();
    service = authority.issue('service', { names: 'DNS:localhost,DNS:agent.test' });
    client = authority.issue('client');
    stranger = (await openAuthority('another authority')).issue('stranger');
    const pair = ['-inkey', 'client.key', '-in', 'client.pem', '-passout', 'pass:open sesame'];
    authority.openssl('pkcs12', '-export', ...pair, '-out', 'client.p12');
  });

  const urlOf = ({ port }: Peer): URL => new URL(`https://localhost:${String(port)}`);
  const open = (peer: Peer, tls: TlsOptions = {}): Sender =>
    openTestSender(peer.port, { baseUrl: urlOf(peer), tls: { ca: authority.cert, ...tls } });
  const probe = (peer: Peer, tls: TlsOptions = {}) =>
    probeConnection({
      clock: systemClock,
      connectTimeoutMs: ms(10_000),
      baseUrl: urlOf(peer),
      tls: { ca: authority.cert, ...tls },
    });

  describe.each(['TLSv1.2', 'TLSv1.3'] as const)('%s', (version) => {
    /** Answers each request on a new connection; records whether the server resumed a session, and the client's name. */
    async function openServer(options: object = {}): Promise<{ peer: Peer; ways: boolean[]; names: string[] }> {
      const [ways, names]: [boolean[], string[]] = [[], []];
      const answer = ({ socket }: Arrival): void => {
        if (!(socket instanceof TLSSocket)) throw new Error('it is not encrypted');
        const secure = socket;
        ways.push(secure.isSessionReused());
        // There is none of a client without a certificate.
        const { subject } = secure.getPeerCertificate() as { subject?: PeerCertificate['subject'] };
        names.push(String(subject?.CN));
        socket.end(closing);
      };
      const limits = { minVersion: version, maxVersion: version };
      return { peer: await openPeer(answer, { ...service, ...limits, ...options }), ways, names };
    }

    const strict = (): object => ({ requestCert: true, rejectUnauthorized: true, ca: authority.cert });

    test('resumes sessions, as the server counts them', async () => {
      const { peer, ways } = await openServer();
      const sender = open(peer);
      for (let i = 0; i < 5; i++) expect(await sendOne(sender)).toMatchObject({ status: 200, detail: '' });
      expect(ways).toEqual([false, true, true, true, true]);
      expect(sender.transport().tls).toMatchObject({ protocol: version, handshakes: 5, resumed: 4, isVerified: true });
    });

    test('makes every handshake a full one if resumption is disabled', async () => {
      const { peer, ways } = await openServer();
      const sender = open(peer, { resume: false });
      for (let i = 0; i < 3; i++) await sendOne(sender);
      expect(ways).toEqual([false, false, false]);
      expect(sender.transport().tls).toMatchObject({ handshakes: 3, resumed: 0 });
    });

    test('trusts no session of a certificate for another name', async () => {
      const { peer } = await openServer();
      const sender = open(peer, { servername: 'elsewhere.test' });
      for (let i = 0; i < 3; i++)
        expect(await sendOne(sender)).toMatchObject({
          failure: 'connect_failed',
          detail: expect.stringContaining('not trusted'),
        });
      expect(peer.arrivals).toHaveLength(0);
      expect(sender.transport().tls).toBeNull();
    });

    test('shows a client certificate: PEM or PKCS#12', async () => {
      const { peer, names } = await openServer(strict());
      const pfx = readFileSync(join(authority.folder, 'client.p12'));
      for (const tls of [
        { cert: client.cert, key: client.key },
        { pfx, passphrase: 'open sesame' },
      ]) {
        await probe(peer, tls);
        expect(await sendOne(open(peer, tls))).toMatchObject({ status: 200, detail: '' });
      }
      expect(names).toEqual(['client', 'client']);
    });

    test('reports that the server refuses a client certificate', async () => {
      const { peer } = await openServer(strict());
      const { cert, key } = stranger;
      await expect(probe(peer, { cert, key })).rejects.toMatchObject({
        code: 'environment',
        hint: expect.stringMatching(/refused the client certificate.*--cert/),
      });
      const { detail, failure } = await sendOne(open(peer, { cert, key }));
      expect(failure).toMatch(/connect_failed|connection_lost/);
      expect(detail).toMatch(/the server closed the connection|reset/);
      expect(peer.arrivals).toHaveLength(0);
    });

    test('is reported by the probe, with the end of the certificate', async () => {
      const { peer } = await openServer();
      const { tls, speaks } = await probe(peer);
      expect(speaks).toBe('http/1.1');
      expect(tls).toMatchObject({ protocol: version, issuer: 'chat-load test authority' });
      const days = (Date.parse(tls?.validTo ?? '') - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(59);
      expect(days).toBeLessThan(61);
    });
  });

  test('another name is requested, and found in the certificate', async () => {
    const peer = await openPeer(({ socket }) => void socket.end(closing), service);
    expect(await sendOne(open(peer, { servername: 'agent.test' }))).toMatchObject({ status: 200 });
    expect((peer.sockets[0] as TLSSocket & { servername: string }).servername).toBe('agent.test');
  });

  test('a server below the minimum version is rejected, with a remedy', async () => {
    const peer = await openPeer(({ socket }) => void socket.end(closing), { ...service, maxVersion: 'TLSv1.2' });
    await probe(peer, { minVersion: '1.2' });
    await expect(probe(peer, { minVersion: '1.3' })).rejects.toMatchObject({
      message: expect.stringContaining('no TLS version in common'),
      hint: expect.stringContaining('--tls-min-version'),
    });
  });

  test('a certificate that was not verified is counted as such', async () => {
    const peer = await openPeer(({ socket }) => void socket.end(closing), stranger);
    const sender = open(peer, { rejectUnauthorized: false });
    expect(await sendOne(sender)).toMatchObject({ status: 200 });
    expect(sender.transport().tls).toMatchObject({ isVerified: false, issuer: 'another authority' });
  });
});
