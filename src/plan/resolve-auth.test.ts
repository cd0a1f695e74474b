import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../base/errors.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { withFirstIdentity, resolveScenario, type ResolvedScenario } from './resolve-scenario.ts';
import { isAnonymous } from './resolve-auth.ts';
import { planSession } from './session-plan.ts';

type Target = NonNullable<Scenario['target']>;
const elsewhere = { baseUrl: 'http://127.0.0.1:1', agentId: 'a' };
const resolved = (target: Target, environment: Record<string, string> = {}, flags: object = {}): ResolvedScenario =>
  resolveScenario(
    { name: 'x', messages: ['Hi'], sessions: 1, target: { ...elsewhere, ...target } },
    { flags: { ...flags }, environment },
  );
const fieldsOf = ({ auth, apiKey }: ResolvedScenario): object => auth.authorize(apiKey);

function refusal(auth: unknown, environment = {}): string {
  try {
    resolved({ auth } as Target, environment);
  } catch (thrown) {
    if (thrown instanceof ChatLoadError) return thrown.message;
  }
  return 'not refused';
}

describe('target.auth', () => {
  test('takes a function that is asynchronous, as no other option does', () => {
    const call = async (): Promise<{ value: string }> => Promise.resolve({ value: 'token-1234' });
    expect(resolved({ auth: { token: call } }).plan.target.auth).toBe('token');
    expect(refusal({ bearer: async () => Promise.resolve('x') })).toContain('async function');
  });

  test('keeps the secret of an OAuth client in the form in which it is sent', () => {
    const oauth = { tokenUrl: 'https://a.test/token', clientId: 'cid', clientSecret: 'oauth-client-0007' };
    const { secrets } = resolved({ auth: { oauth } });
    const sent = Buffer.from('cid:oauth%2Dclient%2D0007').toString('base64');
    expect(secrets.redact(`got Basic ${sent} and oauth%2Dclient%2D0007`)).toBe('got Basic [secret] and [secret]');
  });

  test('sends no credential if it is none, unless a header field of the scenario is one', () => {
    const targets: Target[] = [{ auth: 'none' }, { auth: 'none', headers: { 'X-Api-Key': 'k' } }, { apiKey: 'k' }];
    expect(targets.map((target) => isAnonymous(resolved(target).plan.target))).toEqual([true, false, false]);
  });

  test("is by default the API key, in the protocol's own way", () => {
    expect(fieldsOf(resolved({ apiKey: 'k' }))).toEqual({ Authorization: 'Bearer k' });
    expect(fieldsOf(resolved({ apiKey: 'k', protocol: 'anthropic-messages' }))).toEqual({ 'x-api-key': 'k' });
    expect(resolved({ apiKey: 'k' }).plan.target.auth).toBe('key');
  });

  test.each<[NonNullable<Target['auth']>, string, object]>([
    ['none', 'none', {}],
    [{ bearer: 'token-1234' }, 'bearer', { Authorization: 'Bearer token-1234' }],
    [{ header: { name: 'X-Key', value: 'value 1234' } }, 'header', { 'X-Key': 'value 1234' }],
    // The example of RFC 7617, section 2.
    [
      { basic: { user: 'Aladdin', password: 'open sesame' } },
      'basic',
      { Authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==' },
    ],
  ])('%j is sent as intended, without an API key', (auth, kind, fields) => {
    const made = resolved({ auth });
    expect(fieldsOf(made)).toEqual(fields);
    expect(made.plan.target.auth).toBe(kind);
    expect(fieldsOf(resolved({ auth, protocol: 'anthropic-messages' }))).toEqual(fields);
    expect(fieldsOf(resolved({ auth }, { CHAT_LOAD_API_KEY: 'other' }))).toEqual(fields);
  });

  test('is in no plan, and redacted in every form', () => {
    const secret = 'secret-text-1';
    for (const auth of [
      { bearer: secret },
      { header: { name: 'X', value: secret } },
      { basic: { user: 'me', password: secret } },
      { oauth: { tokenUrl: 'https://a.test/token', clientId: 'c', clientSecret: secret } },
      { command: secret },
    ]) {
      const made = resolved({ auth });
      expect(JSON.stringify(made.plan)).not.toContain(secret);
      expect(made.secrets.redact(`${secret} ${made.apiKey}`)).not.toContain(secret);
      if (made.apiKey !== '') expect(made.secrets.redact(made.apiKey)).not.toContain(made.apiKey);
    }
  });

  test('does not change the hash: the requests have the same content', () => {
    expect(resolved({ auth: 'none' }).plan.hash).toBe(resolved({ apiKey: 'k' }).plan.hash);
  });

  test('names the source of tokens', () => {
    const call = () => ({ value: 'x' });
    expect(resolved({ auth: { token: call } }).auth.tokens).toEqual({ from: 'token', call });
    expect(resolved({ auth: { command: 'a b' } }).auth.tokens).toEqual({ from: 'command', line: 'a b' });
    const oauth = { tokenUrl: 'https://a.test/token', clientId: 'c' };
    const secret = { CHAT_LOAD_OAUTH_CLIENT_SECRET: 'from-environment' };
    expect(resolved({ auth: { oauth } }, secret).auth.tokens).toMatchObject({
      from: 'oauth',
      ...oauth,
      clientSecret: 'from-environment',
    });
  });

  test('is set by --token-command, which overrides the file', () => {
    const flags = { 'token-command': 'print it' };
    for (const auth of ['none' as const, { bearer: 'x' }, undefined])
      expect(resolved({ ...(auth && { auth }) }, {}, flags).auth.tokens).toEqual({ from: 'command', line: 'print it' });
    expect(resolved({ auth: { bearer: 'x' } }, { CHAT_LOAD_TOKEN_COMMAND: 'y' }).auth.kind).toBe('command');
  });

  test('of another service does not apply to the embedded one', () => {
    const made = resolved({ auth: { bearer: 'x' } }, {}, { 'base-url': 'embedded' });
    expect(made.auth.kind).toBe('key');
    expect(resolved({ auth: 'none' }, { CHAT_LOAD_OAUTH_CLIENT_SECRET: 'unasked' }).auth.kind).toBe('none');
  });

  test.each([
    [{}, 'is empty: set one of'],
    [{ bearer: 'a', command: 'b' }, 'has bearer and command: set one of'],
    ['bearer', "expected 'none' or one of"],
    [{ bearer: '' }, 'non-empty text'],
    [{ header: { name: 'X A', value: 'b' } }, 'name of a header field'],
    [{ header: { name: 'Host', value: 'b' } }, 'is reserved: chat-load writes it itself'],
    [{ header: { name: 'X' } }, 'target.auth.header.value'],
    [{ basic: { user: 'a:b', password: 'c' } }, 'colon'],
    [{ oauth: { tokenUrl: 'nowhere', clientId: 'a' } }, 'expected a URL'],
    [{ oauth: { tokenUrl: 'http://login.example.com/token', clientId: 'a', clientSecret: 'b' } }, 'https'],
    [{ oauth: { tokenUrl: 'https://a.test/', clientId: 'a' } }, 'CHAT_LOAD_OAUTH_CLIENT_SECRET'],
    [{ berer: 'a' }, 'bearer'],
    [{ token: 'a' }, 'expected a function'],
  ])('%j is rejected', (auth, reason) => {
    expect(refusal(auth)).toContain(reason);
    expect(refusal(auth)).toContain('target.auth');
  });
});

describe('an identity by session', () => {
  const data = {
    users: [1, 2, 3].map((number) => ({ name: `u${String(number)}`, token: `token-of-user-${String(number)}` })),
  };
  const resolvedBy = (auth: NonNullable<Target['auth']>): ResolvedScenario =>
    resolveScenario(
      { name: 'x', messages: ['Hi'], sessions: 9, data, target: { ...elsewhere, auth } },
      { flags: {}, environment: {} },
    );
  const headersOf = ({ script }: ResolvedScenario, session: number) => planSession(script, session).headers(1);

  test.each<[NonNullable<Target['auth']>, RegExp]>([
    [{ bearer: '{{pick users.token}}' }, /^Authorization: Bearer token-of-user-\d\r\n$/],
    [{ header: { name: 'X-Key', value: '{{pick users.token}}' } }, /^X-Key: token-of-user-\d\r\n$/],
    [{ basic: { user: '{{pick users.name}}', password: '{{pick users.token}}' } }, /^Authorization: Basic [\w=]+\r\n$/],
    [{ bearer: ({ session }) => `own-token-${String(session.number)}` }, /^Authorization: Bearer own-token-\d\r\n$/],
  ])('%j is sent with the requests of the session, and is a secret', (auth, expected) => {
    const made = resolvedBy(auth);
    expect(made.auth.isBySession).toBe(true);
    const texts = Array.from({ length: 9 }, (_, index) => headersOf(made, index + 1));
    expect(texts[0]?.text).toMatch(expected);
    expect(new Set(texts.map(({ text }) => text)).size).toBeGreaterThan(1);
    for (const { text, secrets } of texts) expect(secrets.some((secret) => text.includes(secret))).toBe(true);
    expect(JSON.stringify(made.plan)).not.toContain('token-of-user');
  });

  test('has a password that is a secret by itself', () => {
    const { secrets } = headersOf(resolvedBy({ basic: { user: 'me', password: '{{pick users.token}}' } }), 1);
    expect(secrets).toContainEqual(expect.stringMatching(/^token-of-user-\d$/));
  });

  test('is the first one if a few exchanges are made', () => {
    const made = withFirstIdentity(resolvedBy({ bearer: '{{pick users.token}}' }));
    const { text } = headersOf(resolvedBy({ bearer: '{{pick users.token}}' }), 1);
    const [[name, value] = ['', '']] = Object.entries(made.auth.authorize(made.apiKey));
    expect(`${name}: ${value}\r\n`).toBe(text);
    expect(headersOf(made, 1).text).toBe('');
    expect(made.secrets.redact(made.apiKey)).toBe('[secret]');
  });

  test('that a row lacks, or that a header cannot contain, is an error of the scenario', () => {
    expect(() => headersOf(resolvedBy({ bearer: () => '' }), 1)).toThrow('target.auth.bearer returned empty text');
    expect(() => headersOf(resolvedBy({ bearer: () => 'a\r\nX: y' }), 1)).toThrow('a line break');
    expect(refusal({ bearer: '{{pick nobody.token}}' })).toContain('target.auth.bearer');
  });

  test('leaves its header to nobody else', () => {
    const target = { ...elsewhere, auth: { header: { name: 'X-Key', value: 'v' } }, headers: { 'x-key': 'w' } };
    const settling = () =>
      resolveScenario({ name: 'x', messages: ['Hi'], sessions: 1, target }, { flags: {}, environment: {} });
    expect(settling).toThrow('it authorizes (target.auth)');
  });
});
