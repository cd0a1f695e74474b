import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../base/errors.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { planSession } from './session-plan.ts';
import { resolveScenario, type ResolvedScenario } from './resolve-scenario.ts';

type Target = NonNullable<Scenario['target']>;
type Headers = Target['headers'];
const resolved = (headers: Headers, { target = {}, ...scenario }: Partial<Scenario> = {}): ResolvedScenario =>
  resolveScenario(
    { name: 'x', messages: ['Hi'], sessions: 1, ...scenario, target: { ...target, headers } },
    { flags: {}, environment: {} },
  );
const textOf = (resolved: ResolvedScenario, turn = 1, session = 1): string =>
  planSession(resolved.script, session).headers(turn).text;

const refusal = (headers: unknown, target: Target = {}): string => {
  try {
    resolved(headers as Headers, { target });
  } catch (thrown) {
    if (thrown instanceof ChatLoadError) return thrown.message;
  }
  return 'not refused';
};

describe('headers', () => {
  test('without placeholders are the same for all requests', () => {
    const { script, plan } = resolved({ 'X-Tenant': 'acme', 'X-Number': 3, 'User-Agent': 'mine' });
    expect(script.headers).toEqual({
      constant: { 'X-Tenant': 'acme', 'X-Number': '3', 'User-Agent': 'mine' },
      rendered: [],
    });
    expect(Object.keys(plan.target.headers)).toEqual(['X-Tenant', 'X-Number', 'User-Agent']);
    expect(JSON.stringify(plan)).not.toContain('acme');
  });

  test('that contain more than ASCII are sent with the requests', () => {
    const made = resolved({ 'X-Name': 'Zo\xeb' });
    expect(made.script.headers.constant).toEqual({});
    expect(textOf(made)).toBe('X-Name: Zo\xeb\r\n');
  });

  test('are rendered once per session, or for every turn if they use it', () => {
    const data = { tenants: ['a', 'b', 'c'].map((name) => ({ name })) };
    const made = resolved({ 'X-Tenant': '{{pick tenants.name}}', 'X-Id': '{{uuid}}' }, { data });
    const plan = planSession(made.script, 1);
    expect(plan.headers(0)).toBe(plan.headers(7));
    expect(textOf(made)).toMatch(/^X-Tenant: [abc]\r\nX-Id: [0-9a-f-]{36}\r\n$/);
    expect(textOf(made, 1, 2)).not.toBe(textOf(made, 1, 1));
    const turns = resolved({ 'X-Turn': '{{turn.number}}', 'X-Id': '{{uuid}}' });
    const session = planSession(turns.script, 1);
    const [creation, first, again] = [session.headers(0).text, session.headers(1).text, session.headers(1).text];
    expect([creation, first, again].map((text) => /X-Turn: (\d)/.exec(text)?.[1])).toEqual(['0', '1', '1']);
    expect(new Set([creation, first, again].map((text) => /X-Id: (.*)/.exec(text)?.[1]))).toHaveLength(1);
  });

  test('leave messages and values unchanged', () => {
    const messages = ['{{uuid}} {{int 1 1000}}'];
    const said = (headers: Headers): string => {
      const session = planSession(resolved(headers, { messages }).script, 5);
      session.headers(1);
      return session.message(1);
    };
    expect(said({ 'X-Id': '{{uuid}}', 'X-Draw': ({ random }) => random() })).toBe(said({}));
  });

  test('are omitted if a function returns nothing', () => {
    const made = resolved({ 'X-Flag': ({ session }) => (session.number > 1 ? 'on' : undefined) });
    expect([textOf(made, 1, 1), textOf(made, 1, 2)]).toEqual(['', 'X-Flag: on\r\n']);
  });

  test.each<[string, unknown, string]>([
    ['a line of its own', () => 'a\r\nX-Evil: 1', 'target.headers.X returned a line break'],
    ['half a line break', () => 'a\n', 'a line break'],
    ['a NUL', () => 'a\0', 'a control character'],
    ['a character outside Latin-1', () => '✓', 'not in Latin-1'],
    ['an object', () => ({}), 'a value of type object'],
    ['a promise', () => Promise.resolve('a'), 'returned a promise'],
    ['the value of a row', '{{pick rows.name}}', 'a line break'],
  ])('never contain %s: it is an error of the scenario', (_, value, reason) => {
    const made = resolved({ X: value } as Headers, { data: { rows: [{ name: 'a\r\nX-Evil: 1' }] } });
    expect(() => textOf(made)).toThrow(ChatLoadError);
    expect(() => textOf(made)).toThrow(reason);
    expect(() => textOf(made)).not.toThrow('X-Evil');
  });

  test.each<[unknown, string, Target?]>([
    [{ Host: 'a' }, 'target.baseUrl defines it'],
    [{ 'content-length': '1' }, 'chat-load writes it'],
    [{ 'Transfer-Encoding': 'chunked' }, 'chat-load writes it'],
    [{ connection: 'close' }, 'chat-load writes it'],
    [{ Expect: '100-continue' }, 'chat-load writes it'],
    [{ 'Accept-Encoding': 'gzip' }, 'chat-load writes it'],
    [{ TE: 'trailers' }, 'chat-load writes it'],
    [{ Upgrade: 'h2c' }, 'chat-load writes it'],
    [{ Trailer: 'x' }, 'chat-load writes it'],
    [{ 'Content-Type': 'text/plain' }, 'the protocol writes it'],
    [{ Authorization: 'Bearer a' }, 'the API key is sent in it'],
    [{ 'x-api-key': 'a' }, 'the API key is sent in it', { protocol: 'anthropic-messages' }],
    [{ cookie: 'a=b' }, 'target.cookies', { cookies: true }],
    [{ Traceparent: 'a' }, 'target.trace', { trace: true }],
    [{ 'X A': 'a' }, 'not a name that HTTP can transmit'],
    [{ 'X\r\nY': 'a' }, 'not a name that HTTP can transmit'],
    [{ 'X-A': 'a', 'x-a': 'b' }, 'more than once'],
    [{ 'X-A': ['a', 'b'] }, 'more than once'],
    [{ 'X-A': undefined }, 'environment variable that is not set'],
    [{ 'X-A': '' }, 'environment variable that is not set'],
    [{ 'X-A': {} }, 'expected a text'],
    [{ 'X-A': 'a\r\nB: c' }, 'has a line break'],
    [{ 'X-A': '✓' }, 'Latin-1'],
    [{ 'X-A': '{{pick nobody}}' }, 'list'],
    ['X-A: a', 'expected an object of names and values'],
  ])('are refused if they are %j', (headers, reason, target) => {
    expect(refusal(headers, target)).toContain(reason);
    expect(refusal(headers, target)).toContain('target.headers');
  });

  test('are secrets if their names suggest it', () => {
    const { secrets, plan } = resolved({ 'X-Auth-Token': 'opaque-value-1', 'X-Tenant': 'acme-corporation' });
    expect(secrets.redact('opaque-value-1 acme-corporation')).toBe('[secret] acme-corporation');
    expect(plan.target.headers['X-Auth-Token']).toEqual({ hash: null });
    const rendered = resolved({ 'X-Auth-Token': 'Bearer opaque-{{session.number}}', 'X-Other': '{{session.number}}' });
    expect(planSession(rendered.script, 7).headers(1).secrets).toEqual(['Bearer opaque-7', 'opaque-7']);
  });

  test('are part of the scenario hash, except credentials', () => {
    const hash = (headers: Headers): string => resolved(headers).plan.hash;
    expect(hash({ 'X-A': '1' })).not.toBe(hash({ 'X-A': '2' }));
    expect(hash({ 'X-Token': '1' })).toBe(hash({ 'X-Token': '2' }));
    expect(hash({ 'X-Token': '1' })).not.toBe(hash({}));
    expect(
      resolveScenario({ name: 'x', messages: ['Hi'], sessions: 1 }, { flags: {}, environment: {} }).plan.hash,
    ).toBe(hash({}));
  });
});

describe('headers of the command', () => {
  const given = (lines: readonly string[], headers: Headers = {}, environment = {}): ResolvedScenario =>
    resolveScenario(
      { name: 'x', messages: ['Hi'], sessions: 1, target: { headers } },
      { flags: lines.length === 0 ? {} : { header: lines }, environment },
    );

  test('are added to the headers of the file, replacing headers of the same name', () => {
    expect(given(['x-a: 2', 'X-B:3: 4'], { 'X-A': '1', 'X-C': '5' }).script.headers.constant).toEqual({
      'X-C': '5',
      'x-a': '2',
      'X-B': '3: 4',
    });
  });

  test('may be templates, and may be set in the environment, one per line', () => {
    const environment = { CHAT_LOAD_HEADER: 'X-A: a, b\nX-B: {{session.number}}\n' };
    const { script } = given([], {}, environment);
    expect(script.headers.constant).toEqual({ 'X-A': 'a, b' });
    expect(planSession(script, 4).headers(1).text).toBe('X-B: 4\r\n');
  });

  test('are rejected without a colon, given twice, or empty, and not shown', () => {
    expect(() => given(['Authorization sk-12345678'])).toThrow('a header without a name');
    expect(() => given(['Authorization sk-12345678'])).not.toThrow('sk-');
    expect(() => given(['X-A: 1', 'X-A: 2'])).toThrow('more than once');
    expect(() => given(['X-A:'])).toThrow('empty');
  });
});
