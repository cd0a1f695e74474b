import { OAuth2Server } from 'oauth2-mock-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fetchThrough } from '../../src/edge/http/fetch-through.ts';
import { oauthClient } from '../../src/edge/tokens/oauth-client.ts';
import { tokenCommand } from '../../src/edge/tokens/run-token-command.ts';
import type { Token } from '../../src/edge/tokens/token.ts';

const wanted = new AbortController().signal;
const now = Date.UTC(2026, 0, 1);
const node = `'${process.execPath}'`;
const redact = (text: string): string => text.replaceAll('sk-secret', '[secret]');

const run = (line: string, limitMs = 20_000): Promise<Token> =>
  tokenCommand({ line, limitMs, redact, wallNow: () => now })(wanted);
const print = (text: string): Promise<Token> => run(`${node} -e "process.stdout.write('${text}')"`);

const payload = Buffer.from(JSON.stringify({ exp: 1_900_000_000 })).toString('base64url');

describe('a token command', () => {
  test.each<[string, Token]>([
    ['abc-123\\n', { value: 'abc-123', endsAt: undefined }],
    [`h.${payload}.s`, { value: `h.${payload}.s`, endsAt: 1_900_000_000_000 }],
    ['{\\"access_token\\":\\"abc\\",\\"expires_in\\":60}', { value: 'abc', endsAt: now + 60_000 }],
    [
      '{\\"value\\":\\"abc\\",\\"expiresAt\\":\\"2026-02-01T00:00:00Z\\"}',
      { value: 'abc', endsAt: Date.UTC(2026, 1, 1) },
    ],
  ])('that prints %s returns it', async (text, token) => {
    expect(await print(text)).toEqual(token);
  });

  test.each<[string, RegExp]>([
    [`${node} -e ""`, /printed nothing/],
    [`${node} -e "console.log('a\\nb')"`, /printed 2 lines/],
    [`${node} -e "console.log('a b')"`, /a token with a space/],
    [`${node} -e "console.log('{}')"`, /JSON without access_token/],
    [`${node} -e "console.log('a'.repeat(20000))"`, /20000 characters/],
    [`${node} -e "console.log('a'.repeat(200000))"`, /more than 64 KiB/],
    [
      `${node} -e "console.error('not signed in: sk-secret'); process.exit(3)"`,
      /ended with code 3: not signed in: \[secret\]$/,
    ],
    [
      `${node} -e "console.error('first line\u001b[8m\\nsecond: a secret of its own'); process.exit(3)"`,
      /ended with code 3: first line \[8m$/,
    ],
    [`${node} -e "console.error('x'.repeat(190) + 'sk-secret'); process.exit(3)"`, /x\[secret\]$/],
    ['chat-load-no-such-program --now', /\(chat-load-no-such-program\) was not found/],
    ['chat-load-maybe-a-token', /^the token command was not found$/],
  ])('%s is a failure', async (line, reason) => {
    await expect(run(line)).rejects.toThrow(reason);
  });

  test('that hangs is ended, and its child processes are not awaited', async () => {
    await expect(run(`${node} -e "setInterval(() => 0, 1000)"`, 300)).rejects.toThrow(/within 0.3 s/);
    await expect(run(`sh -c '${process.execPath} -e "setTimeout(() => 0, 3000)"; true'`, 300)).rejects.toThrow(
      /within/,
    );
  });

  test('is run without a shell', async () => {
    expect(await run(`${node} -e "process.stdout.write(process.argv[1])" '$HOME;\`id\`'`)).toMatchObject({
      value: '$HOME;`id`',
    });
  });

  test.each(['', '   ', `node -e "open`])('%j is rejected', (line) => {
    expect(() => tokenCommand({ line, limitMs: 1, redact, wallNow: () => 0 })).toThrow(/The token command/);
  });
});

const postForm = fetchThrough({ tls: {}, proxy: undefined });

describe('OAuth client credentials', () => {
  const server = new OAuth2Server();
  beforeEach(async () => {
    await server.issuer.keys.generate('RS256');
    await server.start(0, '127.0.0.1');
  });
  afterEach(async () => {
    server.service.removeAllListeners();
    await server.stop();
  });
  const client = (over: object = {}) => ({
    tokenUrl: `http://127.0.0.1:${String(server.address().port)}/token`,
    clientId: 'me',
    clientSecret: 'sk-secret',
    ...over,
  });
  const ask = (over: object = {}): Promise<Token> =>
    oauthClient(client(over), { limitMs: 5000, redact, wallNow: () => now, postForm })(wanted);

  test('return a token with the lifetime set by the server', async () => {
    let asked: { authorization?: string | undefined; body?: unknown } = {};
    server.service.once(
      'beforeResponse',
      (response: { body: Record<string, unknown> }, request: { headers: Record<string, string>; body: unknown }) => {
        asked = { authorization: request.headers['authorization'], body: request.body };
        response.body['expires_in'] = 120;
      },
    );
    const token = await ask({ scope: 'chat', audience: 'agents' });
    expect(token.endsAt).toBe(now + 120_000);
    expect(token.value.split('.')).toHaveLength(3);
    expect(asked.authorization).toBe(`Basic ${Buffer.from('me:sk%2Dsecret').toString('base64')}`);
    expect(asked.body).toMatchObject({ grant_type: 'client_credentials', scope: 'chat', audience: 'agents' });
  });

  test('are sent in the body if configured', async () => {
    let body: unknown;
    server.service.once('beforeResponse', (_: unknown, request: { body: unknown }) => (body = request.body));
    await ask({ clientAuthentication: 'post' });
    expect(body).toMatchObject({ client_id: 'me', client_secret: 'sk-secret' });
  });

  test('that are rejected report why', async () => {
    server.service.once('beforeResponse', (response: { body: unknown; statusCode: number }) => {
      response.statusCode = 401;
      response.body = { error: 'invalid_client', error_description: 'no such client' };
    });
    await expect(ask()).rejects.toThrow('the OAuth server refused (401 invalid_client: no such client)');
  });

  test('that are rejected reveal no secret, even if the reason is cut within one', async () => {
    server.service.once('beforeResponse', (response: { body: unknown; statusCode: number }) => {
      response.statusCode = 401;
      response.body = { error: 'invalid_client', error_description: `${'x'.repeat(293)}sk-secret is wrong` };
    });
    await expect(ask()).rejects.toThrow(/x\[secret…\)$/);
  });

  test('fail if nothing answers, or if the answer is not from an OAuth server', async () => {
    await expect(ask({ tokenUrl: 'http://127.0.0.1:1/token' })).rejects.toThrow(/could not be reached/);
    await expect(ask({ tokenUrl: client().tokenUrl.replace('/token', '/nowhere') })).rejects.toThrow(
      /the OAuth server/,
    );
  });
});
