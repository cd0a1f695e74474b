import { describe, expect, test } from 'vitest';
import { embeddedOptions, embeddedShape, type EmbeddedOptions } from './embedded.ts';
import type { FaultOptions } from './embedded-faults.ts';

const words: unknown = expect.stringContaining('{{customerName}}');
const someText: unknown = expect.any(String);
const resolve = (options: EmbeddedOptions) => embeddedOptions.parse(options);
const resolveFault = (fault: FaultOptions) => resolve({ faults: [fault] }).faults[0];

/** Returns the problems of options that the types may not allow. */
function problemsOf(options: unknown): string[] {
  const read = embeddedOptions.safeParse(options);
  return read.success ? [] : read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('the embedded options', () => {
  test('have a default for everything', () => {
    expect(resolve({})).toEqual({
      latency: { kind: 'constant', ms: 0 },
      capacity: null,
      stream: {
        firstToken: null,
        gap: { kind: 'constant', ms: 0 },
        events: null,
        reasoning: 0,
        flushEvery: 1,
        onDisconnect: 'stop',
      },
      faults: [],
      sabotage: [],
      rateLimit: null,
      maxSessions: 50_000,
      maxIdle: 3_600_000,
      maxTurnsPerSession: 1000,
      maxStoredCharacters: 100_000_000,
      maxSocketAge: 3_600_000,
      seed: 1,
      costPerTurn: 0.002,
      conversationTurns: 20,
      agents: [
        { id: 'agent-support', account: 'main', chat: true, instructions: words },
        { id: 'agent-chat-off', account: 'main', chat: false, instructions: someText },
        { id: 'agent-elsewhere', account: 'elsewhere', chat: true, instructions: someText },
      ],
      keys: [
        { key: 'chat-load-embedded-key', account: 'main', kind: 'developer' },
        { key: 'chat-load-widget-key', account: 'main', kind: 'widget' },
        { key: 'chat-load-elsewhere-key', account: 'elsewhere', kind: 'developer' },
      ],
    });
  });

  test('accept every field, and are JSON when resolved', () => {
    const everything: Required<EmbeddedOptions> = {
      latency: { median: '200ms', sigma: 0.4 },
      capacity: 8,
      stream: {
        firstToken: '300ms',
        gap: { mean: '20ms' },
        events: 9,
        reasoning: 2,
        flushEvery: 3,
        onDisconnect: 'continue',
      },
      faults: [{ kind: 'hang', share: 0.1 }],
      sabotage: [{ kind: 'idle_amnesia', idle: '5m', every: 2, window: { from: '1s' } }],
      rateLimit: { perSecond: 5, burst: 10 },
      maxSessions: 10,
      maxIdle: '5m',
      maxTurnsPerSession: 4,
      maxStoredCharacters: 5000,
      maxSocketAge: '10m',
      seed: 7,
      costPerTurn: 0,
      conversationTurns: 3,
      agents: [{ id: 'a', account: 'b', chat: false, instructions: '' }],
      keys: [{ key: 'k', account: 'b', kind: 'widget' }],
    };
    expect(Object.keys(everything).sort()).toEqual(Object.keys(embeddedShape).sort());
    const resolved = resolve(everything);
    expect(JSON.parse(JSON.stringify(resolved))).toEqual(resolved);
    expect(resolved).toMatchObject({ latency: { kind: 'lognormal', medianMs: 200, sigma: 0.4 }, maxIdle: 300_000 });
  });

  test('set the burst of a rate limit to the exchanges of one second, and at least one', () => {
    expect(resolve({ rateLimit: { perSecond: 5 } }).rateLimit).toEqual({ perSecond: 5, burst: 5 });
    expect(resolve({ rateLimit: { perSecond: 0.1 } }).rateLimit).toEqual({ perSecond: 0.1, burst: 1 });
  });

  test.each<[string, unknown, string]>([
    ['an unknown field', { latencies: '1s' }, "did you mean 'latency'?"],
    ['a latency that is not a duration', { latency: 'soon' }, 'latency: expected a duration'],
    ['no capacity', { capacity: 0 }, 'capacity: '],
    ['two agents of one name', { agents: [{ id: 'a' }, { id: 'a' }] }, 'agents: agent ids must differ'],
    ['one key twice', { keys: [{ key: 'k' }, { key: 'k' }] }, 'keys: keys must differ'],
    ['a key with a line break', { keys: [{ key: 'a\nb' }] }, 'keys.0.key: a key is made of visible ASCII'],
    [
      'an unknown kind of fault',
      { faults: [{ kind: 'resett' }] },
      "faults.0.kind: unknown kind 'resett': did you mean 'reset'?",
    ],
    ['a field of another kind', { faults: [{ kind: 'reset', status: 503 }] }, "faults.0: unknown key 'status'"],
    ['two timings', { faults: [{ kind: 'reset', share: 0.1, every: 2 }] }, 'faults.0.share: set at most one of'],
    ['a share above 1', { faults: [{ kind: 'reset', share: 1.5 }] }, 'faults.0.share: '],
    [
      'a window that ends first',
      { faults: [{ kind: 'cut', window: { from: '2s', to: '1s' } }] },
      'faults.0.window: to must be',
    ],
    ['a stall without a length', { faults: [{ kind: 'stall' }] }, 'faults.0.for: a stall has either'],
    [
      'a stall with both ends',
      { faults: [{ kind: 'stall', for: '1s', until: 'windowEnd', window: { from: 0, to: 1 } }] },
      'either',
    ],
    ['a frozen service without end', { faults: [{ kind: 'stall', until: 'windowEnd' }] }, 'needs a window'],
    [
      'a frozen share',
      { faults: [{ kind: 'stall', until: 'windowEnd', share: 0.5, window: { from: 0, to: 9 } }] },
      'omit',
    ],
    [
      'a header of two lines',
      { faults: [{ kind: 'rate_limited', retryAfter: 'a\r\nb' }] },
      'faults.0.retryAfter: expected a duration',
    ],
    [
      'an unknown kind of sabotage',
      { sabotage: [{ kind: 'forgett' }] },
      "sabotage.0.kind: unknown kind 'forgett': did you mean 'forget'?",
    ],
    ['an idle amnesia without a length', { sabotage: [{ kind: 'idle_amnesia' }] }, 'sabotage.0.idle: expected a dur'],
    ['a length for another kind', { sabotage: [{ kind: 'leak', idle: '1s' }] }, "sabotage.0: unknown key 'idle'"],
    ['two timings of sabotage', { sabotage: [{ kind: 'swap', every: 2, first: 1 }] }, 'sabotage.0.share: set at most'],
    ['a sabotage of creations', { sabotage: [{ kind: 'swap', on: 'create' }] }, "sabotage.0: unknown key 'on'"],
    ['a good status as a fault', { faults: [{ kind: 'http', status: 200 }] }, 'faults.0.status'],
  ])('reject %s, with its path', (_, options, words) => {
    expect(problemsOf(options).join('\n')).toContain(words);
  });

  test('need only the median of a lognormal latency', () => {
    expect(resolve({ latency: { median: '100ms' } }).latency).toEqual({ kind: 'lognormal', medianMs: 100, sigma: 0.5 });
    expect(problemsOf({ latency: { sigma: 0.3 } })).toEqual([expect.stringMatching(/^latency\.median: /)]);
  });

  test('report every problem at once', () => {
    expect(problemsOf({ capacity: 0, seed: -1, faults: [{ kind: 'hang', first: 0 }] })).toHaveLength(3);
  });
});

test('a sabotage affects every message on which it has an effect, by default', () => {
  expect(resolve({ sabotage: [{ kind: 'forget' }, { kind: 'idle_amnesia', idle: '2s', first: 3 }] }).sabotage).toEqual([
    { kind: 'forget', idleMs: 0, strikes: { by: 'share', share: 1 }, fromMs: 0, toMs: null },
    { kind: 'idle_amnesia', idleMs: 2000, strikes: { by: 'first', count: 3 }, fromMs: 0, toMs: null },
  ]);
});

describe('a fault', () => {
  test('affects every message forever by default', () => {
    expect(resolveFault({ kind: 'reset' })).toEqual({
      on: 'message',
      strikes: { by: 'share', share: 1 },
      fromMs: 0,
      toMs: null,
      effect: { kind: 'reset' },
    });
  });

  test('can be counted, windowed, and put on creations', () => {
    const window = { from: '1s', to: '3s' } as const;
    expect(resolveFault({ kind: 'close', every: 3, window, on: 'create' })).toMatchObject({
      on: 'create',
      strikes: { by: 'every', count: 3 },
      fromMs: 1000,
      toMs: 3000,
    });
    expect(resolveFault({ kind: 'close', first: 2, window: { from: '1s' } })).toMatchObject({
      strikes: { by: 'first', count: 2 },
      toMs: null,
    });
  });

  test.each<[FaultOptions, unknown]>([
    [{ kind: 'rate_limited' }, { kind: 'rate_limited', retryAfter: null }],
    [{ kind: 'server_error' }, { kind: 'server_error', status: 503, retryAfter: null }],
    [
      { kind: 'provider', status: 429 },
      { kind: 'provider', status: 429, retryAfter: null },
    ],
    [
      { kind: 'http', status: 302 },
      { kind: 'http', status: 302, body: null, retryAfter: null },
    ],
    [
      { kind: 'stall', for: '2s' },
      { kind: 'stall', forMs: 2000 },
    ],
    [{ kind: 'stall', until: 'windowEnd', window: { from: 0, to: '2s' } }, { kind: 'freeze' }],
    [
      { kind: 'contract', breaks: 'not_session' },
      { kind: 'contract', breaks: 'not_session' },
    ],
  ])('%j is resolved', (fault, effect) => {
    expect(resolveFault(fault)?.effect).toEqual(effect);
  });

  test.each([
    ['1500ms', { kind: 'text', text: '2' }],
    [3000, { kind: 'text', text: '3' }],
    ['0s', { kind: 'text', text: '0' }],
    ['-1', { kind: 'text', text: '-1' }],
    ['soon', { kind: 'text', text: 'soon' }],
    [{ dateIn: '2s' } as const, { kind: 'date', inMs: 2000 }],
  ])('sends Retry-After %j', (retryAfter, resolved) => {
    expect(resolveFault({ kind: 'rate_limited', retryAfter })?.effect).toMatchObject({ retryAfter: resolved });
  });
});
