import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket, type PeerCertificate } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { openAuthority, requireOpenssl, type Authority, type Identity } from '../support/certificate-authority.ts';
import { makeFolder, readResult, runCommand, writeScenario, type Ended } from '../support/command.ts';
import { openService } from '../support/reference-client.ts';

const clientSecret = 'oauth-client-secret-0042';
const red = `${String.fromCharCode(27)}[31m`;

describe.runIf(requireOpenssl())('a token server', () => {
  let authority: Authority;
  let identity: Identity;

  beforeAll(async () => {
    authority = await openAuthority();
    identity = authority.issue('service', { names: 'DNS:localhost' });
    authority.issue('client');
  });

  /** A token server with a certificate of the private authority. Records the requests it receives. */
  async function openTokenServer(): Promise<{ url: string; received: string[]; clients: string[] }> {
    const received: string[] = [];
    const clients: string[] = [];
    const { key, cert } = identity;
    const options = { key, cert, ca: authority.cert, requestCert: true, rejectUnauthorized: false };
    const server: Server = createServer(options, (request, response) => {
      received.push(Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString());
      if (request.socket instanceof TLSSocket)
        clients.push(String((request.socket.getPeerCertificate() as Partial<PeerCertificate>).subject?.CN));
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ access_token: embeddedDefaults.apiKey, token_type: 'bearer', expires_in: 600 }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => server.close().closeAllConnections());
    return { url: `https://localhost:${String((server.address() as AddressInfo).port)}/token`, received, clients };
  }

  async function run(
    url: string,
    given: readonly string[],
    oauth = '',
  ): Promise<Ended & { out: string; folder: string }> {
    const tls = { cert: identity.cert.toString(), key: identity.key.toString() };
    const { baseUrl } = await openService({}, { tls });
    const folder = await makeFolder();
    const auth = `auth: { oauth: { tokenUrl: '${url}', clientId: 'me', ${oauth} } }`;
    const agent = `agentId: '${embeddedDefaults.agentId}'`;
    const scenario = await writeScenario(
      folder,
      `{ name: 't', messages: ['Hi'], sessions: 2, turns: 1, target: { ${agent}, ${auth} } }`,
    );
    const target = ['--base-url', baseUrl.replace('127.0.0.1', 'localhost')];
    const ended = await runCommand(['run', scenario, ...target, ...given, '--out', folder], {
      cwd: authority.folder,
      env: { CHAT_LOAD_OAUTH_CLIENT_SECRET: clientSecret, FORCE_COLOR: '1' },
    });
    return { ...ended, out: folder, folder };
  }

  test('does not receive the client secret if its certificate is not trusted, whatever --insecure allows the target', async () => {
    const { url, received } = await openTokenServer();
    const { code, stderr } = await run(url, ['--insecure']);
    expect(received).toEqual([]);
    expect(stderr).toContain('certificate');
    expect(stderr).toContain('target.auth.oauth.insecure');
    expect(code).toBe(3);
  });

  test('of a private authority is used with --ca, and receives the client certificate if it requests one', async () => {
    const { url, received, clients } = await openTokenServer();
    const files = ['--ca', 'ca.pem', '--cert', 'client.pem', '--key', 'client.key'];
    const { code, stderr } = await run(url, files);
    expect(code, stderr).toBe(0);
    expect(received).toEqual([`me:${clientSecret.replaceAll('-', '%2D')}`]);
    expect(clients).toEqual(['client']);
    expect(stderr).not.toContain('INSECURE');
  });

  test('is not verified with its own option, which is marked in red and in the result', async () => {
    const { url, received } = await openTokenServer();
    // The option `insecure` of the token server does not apply to the target.
    const refused = await run(url, [], 'insecure: true');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('the TLS certificate of localhost');
    const { code, stderr, stdout, out } = await run(url, ['--ca', 'ca.pem'], 'insecure: true');
    expect(code, stderr).toBe(0);
    expect(received).toHaveLength(1);
    for (const shown of [stderr, stdout]) {
      expect(shown).toContain(`${red}INSECURE`);
      expect(shown).toContain('target.auth.oauth.insecure');
    }
    const { warnings } = await readResult(out);
    expect(warnings.map((warning) => warning.code)).toContain('token_server_not_verified');
  });
});
