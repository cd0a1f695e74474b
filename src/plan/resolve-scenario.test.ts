import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../base/errors.ts';
import { flagsOfPlan, type Surroundings } from './overlay.ts';
import type { Plan } from './plan.ts';
import { planSchema } from './plan.ts';
import { resolveScenario } from './resolve-scenario.ts';

const min = { name: 'least', messages: ['Hello'], sessions: 1 };
const around = (parts: Partial<Surroundings> = {}): Surroundings => ({ flags: {}, environment: {}, ...parts });
const planOf = (scenario: object, parts?: Partial<Surroundings>): Plan =>
  resolveScenario({ ...min, ...scenario }, around(parts)).plan;

const spokenInJson = { message: { path: '/chat', body: () => ({}) }, reply: { text: 'answer' } };

function problemsOf(scenario: unknown, parts?: Partial<Surroundings>): string {
  try {
    resolveScenario(scenario, around(parts), 'x.ts');
  } catch (thrown) {
    if (thrown instanceof ChatLoadError && thrown.code === 'usage') return thrown.message;
    throw thrown;
  }
  throw new Error('the scenario was taken');
}

test('the secrets of an agent that a scenario starts are those of the environment', () => {
  const environment = { OPENAI_API_KEY: 'sk-agent-0123456789', TOKENIZER: 'o200k_base' };
  const target = { baseUrl: 'http://127.0.0.1:9010', agentId: 'a', auth: 'none' };
  const redact = (given: object): string =>
    resolveScenario({ ...min, target: { ...target, ...given } }, around({ environment })).secrets.redact(
      'sk-agent-0123456789 o200k_base',
    );
  expect(redact({ start: ['node', 'agent.mjs'] })).toBe('[secret] o200k_base');
  expect(redact({})).toBe('sk-agent-0123456789 o200k_base');
  // Also those that a header contains, whatever its name.
  expect(redact({ headers: { 'X-Foo': 'pre sk-agent-0123456789' } })).toBe('[secret] o200k_base');
});

describe('a plan', () => {
  test('fills in every default that the documents name', () => {
    expect(planOf({})).toMatchObject({
      seed: 1,
      sessions: 1,
      durationMs: null,
      turns: { kind: 'constant', turns: 1 },
      load: { model: 'closed', segments: [{ startMs: 0, endMs: null, from: 10, to: 10 }], maxTurnsInFlight: null },
      thinkTime: { kind: 'constant', ms: 0 },
      timeoutMs: 30_000,
      connectTimeoutMs: 10_000,
      idleConnectionMs: 4000,
      maxHeadBytes: 65_536,
      maxBodyBytes: 16_777_216,
      warmUpMs: 0,
      gracePeriodMs: 30_000,
      onFailedTurn: 'stop',
      target: {
        baseUrl: null,
        agentId: 'agent-support',
        createSession: { path: '/api/developer/chat/sessions', sessionIdFrom: 'data.sessionId' },
      },
      retry: [
        {
          name: 'default',
          maxAttempts: 4,
          baseMs: 500,
          factor: 2,
          capMs: 30_000,
          jitter: 'full',
          respectRetryAfter: true,
          maxRetryAfterMs: 60_000,
          budget: null,
        },
      ],
    });
    expect(planOf({}).retry[0]?.classes).toEqual([
      'rate_limited',
      'internal_error',
      'server_error',
      'provider_rate_limited',
      'provider_error',
      'connect_failed',
      'connection_lost',
      'timed_out',
    ]);
  });

  test('is JSON-safe, frozen, and reads back as itself', () => {
    const plan = planOf({ retry: { a: { budget: { share: 0.1 } }, b: 'none' }, duration: '10m' });
    expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
    expect(Object.isFrozen(plan) && Object.isFrozen(plan.retry[0])).toBe(true);
  });

  test('lets flags win over the environment, the environment over the file, the file over defaults', () => {
    const file = { seed: 2, load: { concurrency: 3 }, timeout: '5s' };
    const plan = planOf(file, { environment: { CHAT_LOAD_SEED: '7', CHAT_LOAD_CONCURRENCY: '8' }, flags: { seed: 9 } });
    expect([plan.seed, plan.load.segments[0]?.from, plan.timeoutMs, plan.warmUpMs]).toEqual([9, 8, 5000, 0]);
    expect(plan.options).toMatchObject({
      seed: { value: 9, from: 'flag' },
      'load.concurrency': { value: 8, from: 'environment' },
      timeout: { value: '5s', from: 'file' },
      warmUp: { value: '0s', from: 'default' },
    });
    expect(planOf({ duration: '1m', warmUp: '2s' }, { flags: { 'warm-up': '5s' } }).warmUpMs).toBe(5000);
  });

  test.each<[Surroundings['flags'], string, string]>([
    [{ rate: 20 }, 'CHAT_LOAD_CONCURRENCY', 'open'],
    [{ concurrency: 3 }, 'CHAT_LOAD_RATE', 'closed'],
  ])("prefers the level of flag %j to the other model's in the environment", (flags, name, model) => {
    const plan = planOf({}, { environment: { [name]: '2' }, flags });
    expect([plan.load.model, plan.load.segments[0]?.from]).toEqual([model, Object.values(flags)[0]]);
  });

  test('never contains the key', () => {
    const resolved = resolveScenario(
      { ...min, target: { baseUrl: 'http://127.0.0.1:1', agentId: 'a' } },
      around({ environment: { CHAT_LOAD_API_KEY: 'sk-secret-1' } }),
    );
    expect(resolved.apiKey).toBe('sk-secret-1');
    expect(JSON.stringify(resolved.plan)).not.toContain('sk-secret-1');
    expect(resolved.plan.options['target.apiKey']).toEqual({ value: '(set)', from: 'environment' });
  });

  test('never contains messages, values, rows or keys of the embedded service', () => {
    const plan = planOf({
      messages: ['my message {{plan}}', () => 'x'],
      variableValues: { plan: 'my value' },
      data: { rows: [{ name: 'my row' }] },
      embedded: { keys: [{ key: 'my-embedded-key' }] },
    });
    expect(JSON.stringify(plan)).not.toMatch(/my message|my value|my row|my-embedded-key/);
    expect(plan.messages.count).toBe(2);
    expect(JSON.stringify(planOf({}))).not.toContain('chat-load-embedded-key');
  });

  test('echoes several retry policies whole, and none of the single one', () => {
    const { options } = planOf({ retry: { a: 'none', b: { maxAttempts: 2 } } });
    expect(options['retry']).toEqual({ value: { a: 'none', b: { maxAttempts: 2 } }, from: 'file' });
    expect(options['retry.maxAttempts']).toBeUndefined();
  });

  test('takes local addresses from the file, from one variable with commas, or from flags', () => {
    const addressesOf = (parts: Partial<Surroundings>, own = ['10.0.0.1']): unknown => {
      const { target, options } = planOf({ target: { localAddresses: own } }, parts);
      return [target.localAddresses, options['target.localAddresses']?.from];
    };
    const environment = { CHAT_LOAD_LOCAL_ADDRESSES: '10.0.0.2, 10.0.0.3' };
    expect(addressesOf({})).toEqual([['10.0.0.1'], 'file']);
    expect(addressesOf({ environment })).toEqual([['10.0.0.2', '10.0.0.3'], 'environment']);
    expect(addressesOf({ environment, flags: { 'local-address': '10.0.0.4' } })).toEqual([['10.0.0.4'], 'flag']);
    const several = { 'local-address': ['10.0.0.5', '10.0.0.6'] };
    expect(addressesOf({ flags: several })).toEqual([['10.0.0.5', '10.0.0.6'], 'flag']);
    expect(planOf({}).target.localAddresses).toEqual([]);
  });

  test('keeps the key of the embedded service, whatever the environment contains', () => {
    expect(resolveScenario(min, around({ environment: { CHAT_LOAD_API_KEY: 'sk-other' } })).apiKey).toBe(
      'chat-load-embedded-key',
    );
  });

  test('lays stages end to end and keeps the last level', () => {
    const load = {
      stages: [
        { duration: '10s', sessionsPerSecond: 4 },
        { duration: 0, sessionsPerSecond: 8 },
        { duration: '5s', sessionsPerSecond: 8 },
      ],
    };
    expect(planOf({ load })).toMatchObject({
      durationMs: 15_000,
      load: {
        model: 'open',
        segments: [
          { startMs: 0, endMs: 10_000, from: 0, to: 4 },
          { startMs: 10_000, endMs: 15_000, from: 8, to: 8 },
          { startMs: 15_000, endMs: null, from: 8, to: 8 },
        ],
      },
    });
  });

  test('puts a level given by a flag in the place of the stages and of the other model', () => {
    const load = { stages: [{ duration: '10s', sessionsPerSecond: 4 }], arrivals: 'poisson' };
    expect(planOf({ load, duration: '1m' }, { flags: { rate: 20 } }).load.segments).toEqual([
      { startMs: 0, endMs: null, from: 20, to: 20 },
    ]);
    const open = { sessionsPerSecond: 2, arrivals: 'poisson', maxConcurrency: 9, whenFull: 'drop' } as const;
    expect(planOf({ load: open }, { flags: { concurrency: 3 } }).load).toMatchObject({
      model: 'closed',
      segments: [{ to: 3 }],
    });
    expect(problemsOf({ ...min, load: {} }, { flags: { concurrency: 3, rate: 2 } })).toContain(
      'cannot be combined with',
    );
  });

  test('names several retry policies in their order', () => {
    const plan = planOf({ retry: { patient: { jitter: 'full' }, hasty: { base: 0, jitter: 'none' }, never: 'none' } });
    expect(plan.retry.map(({ name, maxAttempts, baseMs }) => [name, maxAttempts, baseMs])).toEqual([
      ['patient', 4, 500],
      ['hasty', 4, 0],
      ['never', 1, 500],
    ]);
  });

  test('contains the stop conditions: by default only the lack of success', () => {
    expect(planOf({})).toMatchObject({
      gates: { 'turns.ok': '>= 1' },
      abortGates: {},
      allowHosts: [],
      maxDurationMs: null,
      maxTurns: null,
      maxSessions: null,
      cost: null,
      maxCost: null,
      stopWhen: { noSuccessMs: 60_000, targetGoneMs: 30_000 },
    });
    const scenario = {
      gates: {
        'turn.p95': '< 2s',
        'turns.failedShare': { gate: '< 5%', abort: true, after: '1m' },
        'turn.p50': { gate: '< 1s', abort: true },
        'turn.max': { gate: '< 9s' },
      },
      cost: (data: { cost: number }) => data.cost,
      stopWhen: { noSuccess: false, targetGone: '2m' },
    };
    const flags = {
      'max-duration': '1h',
      'max-turns': 7,
      'max-sessions': 3,
      'max-cost': 2.5,
      'allow-host': 'a.example',
    };
    expect(planOf(scenario, { flags })).toMatchObject({
      gates: { 'turn.p95': '< 2s', 'turns.failedShare': '< 5%', 'turn.p50': '< 1s', 'turn.max': '< 9s' },
      abortGates: { 'turns.failedShare': { afterMs: 60_000 }, 'turn.p50': { afterMs: 0 } },
      allowHosts: ['a.example'],
      maxDurationMs: 3_600_000,
      maxTurns: 7,
      maxSessions: 3,
      cost: { hash: expect.any(String) as string },
      maxCost: 2.5,
      stopWhen: { noSuccessMs: null, targetGoneMs: 120_000 },
    });
  });

  test.each([
    ['chat-messaging', true],
    ['openai-chat', false],
    ['anthropic-messages', false],
    ['openai-responses', false],
    [{ name: 'own', ...spokenInJson }, false],
    [{ name: 'own', ...spokenInJson, createSession: { path: '/sessions', sessionId: 'id' } }, true],
  ] as const)('records whether sessions are created, as the protocol opens: %j', (protocol, creates) => {
    const target = { baseUrl: 'http://127.0.0.1:1', agentId: 'a', apiKey: 'k', protocol };
    const { plan, script } = resolveScenario({ ...min, target }, around());
    expect(plan.target.createsSessions).toBe(creates);
    expect(script.protocol.open(plan.target).creation !== undefined).toBe(creates);
  });

  describe('a plan of a defined protocol', () => {
    const planWith = (protocol: object, more: object = {}) =>
      planOf({ target: { baseUrl: 'http://127.0.0.1:1', auth: 'none', protocol, ...more } });
    const streamsOnly = { message: spokenInJson.message, stream: { format: 'sse', text: 'delta', end: '[DONE]' } };

    test('streams if the protocol only streams', () => {
      const { target, options } = planWith(streamsOnly);
      expect([target.stream, options['target.stream']]).toEqual([true, { value: true, from: 'default' }]);
      expect(planWith({ ...streamsOnly, reply: { text: 'answer' } }).target.stream).toBe(false);
    });

    test('has no agent, unless one is set', () => {
      expect(planWith(spokenInJson).target.agentId).toBe('');
      expect(planWith(spokenInJson, { agentId: 'a' }).target.agentId).toBe('a');
    });

    test('is used without a flag of its name', () => {
      const target = { baseUrl: 'http://127.0.0.1:1', auth: 'none', protocol: { name: 'own', ...spokenInJson } };
      expect(
        problemsOf({ ...min, target }, { flags: { protocol: 'own' } })
          .split('\n')
          .slice(1),
      ).toEqual(['  --protocol: own is the protocol defined in the file: omit the flag']);
    });

    test('needs the agent that one of its texts names', () => {
      const protocol = { ...spokenInJson, message: { path: '/agents/{{agentId}}/ask' } };
      const target = { baseUrl: 'http://127.0.0.1:1', auth: 'none', protocol };
      expect(problemsOf({ ...min, target })).toContain('target.agentId: is required with a base URL');
    });
  });

  test('knows whether sessions are created if the target decides it', () => {
    const target = { baseUrl: 'http://127.0.0.1:1', agentId: 'a', apiKey: 'k', protocol: 'openai-responses' };
    const { plan, script } = resolveScenario({ ...min, target: { ...target, conversation: 'conversation' } }, around());
    expect(plan.target.createsSessions).toBe(true);
    expect(script.protocol.open(plan.target).creation).toBeDefined();
  });

  describe('the hash of a plan', () => {
    const hash = (scenario: object, parts?: Partial<Surroundings>): string => planOf(scenario, parts).hash;
    const plain = hash({});

    test.each([
      ['the seed', { seed: 5 }],
      ['the name', { name: 'other' }],
      ['the target', { target: { baseUrl: 'http://127.0.0.1:1', agentId: 'b', apiKey: 'k' } }],
      ['local addresses', { target: { localAddresses: ['127.0.0.2'] } }],
      ['gates', { gates: { 'turn.p95': { gate: '< 1s', abort: true } } }],
      ['caps', { maxTurns: 5, maxSessions: 5, maxDuration: '1h', maxCost: 5, cost: () => 1 }],
      ['what stops it', { stopWhen: { noSuccess: false, targetGone: '5m' } }],
      ['the hosts that may be loaded', { allowHosts: ['api.example.com'] }],
      ['the embedded service', { embedded: { latency: '10ms' } }],
    ])('does not depend on %s', (_, change) => {
      expect(hash(change)).toBe(plain);
    });

    test.each([
      ['messages', { messages: ['Hello.'] }],
      ['message functions', { messages: [() => 'Hello'] }],
      ['sessions', { sessions: 2 }],
      ['turns', { turns: 2 }],
      ['load', { load: { concurrency: 11 } }],
      ['think time', { thinkTime: '1s' }],
      ['variable values', { variableValues: { a: 1 } }],
      ['data', { data: { names: ['Ada'] } }],
      ['retries', { retry: 'none' }],
      ['the timeout', { timeout: '1s' }],
    ])('depends on %s', (_, change) => {
      expect(hash(change)).not.toBe(plain);
    });

    test('depends on a limit on stalls if one is set', () => {
      const target = { protocol: 'openai-chat', stream: true };
      expect(hash({ target, stallTimeout: '5s' })).not.toBe(hash({ target }));
    });

    test.each([
      ['users who leave', { abandon: { share: 0.1, after: '1s' } }],
      ['instructions', { target: { protocol: 'openai-chat', instructions: 'Be brief.' } }],
    ])('depends on %s if they are given', (_, change) => {
      expect(hash(change)).not.toBe(plain);
    });

    test('equals the hash of older releases unless options are set that they do not know', () => {
      const { plan } = resolveScenario(
        { name: 'synthetic', messages: ['Hi'], sessions: 1 },
        { flags: {}, environment: {} },
      );
      expect(plan.hash).toBe('f3faecf1b8a96907a6720fb0068ca0631b5b87a7902866e30b804e5cc9420f0d');
    });

    test('does not depend on the order in which fields were written', () => {
      expect(hash({ variableValues: { a: { x: 1, y: 2 }, b: 3 } })).toBe(
        hash({ variableValues: { b: 3, a: { y: 2, x: 1 } } }),
      );
    });

    test('follows a flag that changes the workload', () => {
      expect(hash({}, { flags: { sessions: 2 } })).toBe(hash({ sessions: 2 }));
    });
  });
});

describe('a scenario that cannot be run', () => {
  test.each<[string, object, string]>([
    ['an unknown key', { sesions: 4 }, "unknown key 'sesions': did you mean 'sessions'?"],
    [
      'an unknown key inside',
      { load: { concurency: 4 } },
      "load: unknown key 'concurency': did you mean 'concurrency'?",
    ],
    ['a wrong type', { sessions: 'many' }, 'sessions: '],
    ['a gate that is not a text', { gates: { 'turn.p95': 5 } }, "gates.turn.p95: expected a condition such as '< 5%'"],
    ['a gate without condition', { gates: { x: { abort: true } } }, 'gates.x.gate: expected a condition'],
    [
      'an unknown key of a gate',
      { gates: { x: { gate: '< 1', abrt: true } } },
      "unknown key 'abrt': did you mean 'abort'?",
    ],
    ['a gate with after alone', { gates: { x: { gate: '< 1', after: '1m' } } }, 'gates.x.after: after requires'],
    [
      'more policies than a result has',
      { retry: Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`p${String(at)}`, { maxAttempts: 2 }])) },
      'retry: expected at most 500 policies',
    ],
    [
      'more gates than a result has, with the gate on turns.ok that always applies',
      { gates: Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`turn.p${String(at)}`, '< 1s'])) },
      'gates: expected at most 2000 gates, including the gate on turns.ok',
    ],
    ['a cap of nothing', { maxTurns: 0 }, 'maxTurns: '],
    ['a longest duration of nothing', { maxDuration: '0s' }, 'maxDuration: must be above 0'],
    ['a cap on cost without a cost', { maxCost: 5 }, 'maxCost: needs cost'],
    ['a cost that is not a function', { cost: 0.01 }, 'cost: expected a function'],
    [
      'a stop that is true',
      { stopWhen: { noSuccess: true } },
      "stopWhen.noSuccess: expected a duration such as '1m', or false",
    ],
    ['a URL in place of a host', { allowHosts: ['https://a.example'] }, 'allowHosts[0]: expected a host'],
    ['a bad duration', { timeout: '5 parsecs' }, 'timeout: expected a duration'],
    ['a bad duration in a law', { thinkTime: { median: 'x', sigma: 1 } }, 'thinkTime.median: expected a duration'],
    ['a missing part of a law', { thinkTime: { sigma: 1 } }, 'thinkTime'],
    [
      'a template with an unknown name',
      { messages: ['Hi {{nam}}'], variableValues: { name: 'Ada' } },
      "messages[0]: {{nam}}: unknown name 'nam': did you mean 'name'?",
    ],
    ['a nested template', { variableValues: { a: [{ b: '{{x}}' }] } }, 'variableValues.a[0].b: {{x}}'],
    [
      'two models at once',
      { load: { concurrency: 1, sessionsPerSecond: 1 } },
      'load.concurrency: cannot be combined with load.sessionsPerSecond',
    ],
    [
      'burstiness without gamma arrivals',
      { load: { sessionsPerSecond: 1, burstiness: 2 } },
      "load.burstiness: burstiness and arrivals: 'gamma' require each other",
    ],
    [
      'an option of the other model',
      { load: { concurrency: 1, arrivals: 'poisson' } },
      'load.arrivals: arrivals requires open load',
    ],
    [
      'mixed stages',
      {
        load: {
          stages: [
            { duration: 1, concurrency: 1 },
            { duration: 1, sessionsPerSecond: 1 },
          ],
        },
      },
      'load.stages: stages must be all closed',
    ],
    ['a turn preset that does not exist', { turns: 'publik' }, 'turns: expected a number, a distribution, or a preset'],
    ['turns the wrong way round', { turns: { min: 5, max: 2 } }, 'turns: min must not be greater than max'],
    ['an unknown retry class', { retry: { classes: ['rate_limted'] } }, "did you mean 'rate_limited'?"],
    ['an unknown retry key', { retry: { maxAttemps: 2 } }, "retry: unknown key 'maxAttemps'"],
    ['a base URL that is none', { target: { baseUrl: 'a service' } }, 'target.baseUrl: expected a URL'],
    [
      'a base URL without a key',
      { target: { baseUrl: 'http://h' } },
      "target.apiKey: is required with a base URL: set CHAT_LOAD_API_KEY in the environment, or target.auth: 'none' if the service needs none",
    ],
    [
      'a base URL without a key, whose host is not allowed either',
      { target: { baseUrl: 'http://h' } },
      'allowHosts: does not contain h: if you may load it, use --allow-host h',
    ],
    ['a local address that is a name', { target: { localAddresses: ['eth0'] } }, "localAddresses: 'eth0' is not an IP"],
    [
      'a local address twice',
      { target: { localAddresses: ['::1', '::1'] } },
      "target.localAddresses: '::1' is listed twice",
    ],
    ['local addresses of both families', { target: { localAddresses: ['::1', '127.0.0.1'] } }, 'cannot be mixed'],
    ['no local address', { target: { localAddresses: [] } }, 'target.localAddresses: '],
    ['messages that are none', { messages: [] }, 'messages: expected at least one message'],
  ])('is rejected for %s', (_, change, words) => {
    expect(problemsOf({ ...min, ...change })).toContain(words);
  });

  test.each([
    ['127.0.0.1:4012/v1', 'http://127.0.0.1:4012/v1'],
    ['localhost:8000/v1', 'http://localhost:8000/v1'],
    ['[::1]:8000', 'http://[::1]:8000'],
    ['api.example.com/v1', 'https://api.example.com/v1'],
    ['//api.example.com:8443', 'https://api.example.com:8443'],
  ])('is rejected for %s, which lacks its scheme, and for nothing else', (baseUrl, meant) => {
    const text = problemsOf({ ...min, turns: 'x', target: { baseUrl } });
    expect(text.split('\n').slice(1)).toEqual([`  target.baseUrl: has no scheme: did you mean ${meant}?`]);
    expect(problemsOf(min, { flags: { 'base-url': baseUrl } })).toContain(`--base-url: has no scheme: did you mean`);
  });

  test('reports all problems at once', () => {
    const message = problemsOf({ name: 'x', sesions: 1, messages: ['a'], timeout: 'x', load: { concurency: 1 } });
    expect(message.split('\n').length).toBeGreaterThanOrEqual(4);
  });

  test('is refused if nothing limits it', () => {
    expect(problemsOf({ name: 'x', messages: ['a'] })).toContain('set sessions, duration, or both');
  });

  test.each([undefined, null, 4, 'text', []])('is rejected when the default export is %j', (author) => {
    expect(problemsOf(author)).toContain('the default export must be defineScenario');
  });

  test('is rejected for a bad value in the environment', () => {
    expect(problemsOf(min, { environment: { CHAT_LOAD_SEED: 'many' } })).toContain('CHAT_LOAD_SEED: ');
    expect(problemsOf(min, { flags: { sessions: Number.NaN } })).toContain('--sessions: ');
    expect(problemsOf(min, { flags: { 'local-address': 'eth0' } })).toContain("--local-address: 'eth0'");
  });
});

describe('the embedded service', () => {
  const baseUrlOf = (scenario: object, parts?: Partial<Surroundings>) => planOf(scenario, parts).target.baseUrl;
  const named = { target: { baseUrl: 'http://127.0.0.1:9', agentId: 'a', apiKey: 'k' } };

  test('is the default', () => {
    expect([baseUrlOf({}), baseUrlOf({ target: { agentId: 'a' } })]).toEqual([null, null]);
  });

  test('is chosen on purpose, in the file, by a flag or in the environment', () => {
    expect(resolveScenario({ ...min, target: { baseUrl: 'embedded' } }, around()).embedded).toBeDefined();
    expect(baseUrlOf({ target: { baseUrl: 'embedded' } })).toBeNull();
    expect(baseUrlOf(named, { flags: { 'base-url': 'embedded' } })).toBeNull();
    expect(baseUrlOf(named, { environment: { CHAT_LOAD_BASE_URL: 'embedded' } })).toBeNull();
  });

  test.each<[string, object, Partial<Surroundings>, string]>([
    ['in the file', { target: { baseUrl: undefined } }, {}, 'target.baseUrl: is set but undefined: '],
    ['as nothing in the file', { target: { baseUrl: '' } }, {}, 'target.baseUrl: is set but empty: '],
    [
      'in the environment',
      named,
      { environment: { CHAT_LOAD_BASE_URL: '' } },
      'CHAT_LOAD_BASE_URL: is set but empty: ',
    ],
    ['in a flag', named, { flags: { 'base-url': '' } }, '--base-url: is set but empty: '],
  ])('is never chosen by a variable that is not set: %s', (_, scenario, parts, problem) => {
    const problems = problemsOf({ ...min, ...scenario }, parts);
    expect(problems).toContain(problem);
    expect(problems).toContain('an environment variable that is not set');
    expect(problems.match(/baseUrl|base-url|BASE_URL/g)).toHaveLength(1);
  });

  test('receives key and agent from flags, not the ones for the service in the file', () => {
    const over = (flags: object) =>
      resolveScenario({ ...min, ...named }, around({ flags: { 'base-url': 'embedded', ...flags } }));
    expect([over({}).apiKey, over({}).plan.target.agentId]).toEqual(['chat-load-embedded-key', 'agent-support']);
    expect(over({ 'agent-id': 'b' }).plan.target.agentId).toBe('b');
    const own = { target: { baseUrl: 'embedded', agentId: 'b', apiKey: 'k' } };
    expect(resolveScenario({ ...min, ...own }, around())).toMatchObject({
      apiKey: 'k',
      plan: { target: { agentId: 'b' } },
    });
  });

  test('is not required if a flag names a service', () => {
    const parts = { flags: { 'base-url': 'http://127.0.0.1:9' }, environment: { CHAT_LOAD_BASE_URL: '' } };
    expect(baseUrlOf({ target: { ...named.target, baseUrl: undefined } }, parts)).toBe('http://127.0.0.1:9');
  });
});

test.each([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
])('%s, which JSON would make null of, is rejected in values and in rows', (name, value) => {
  expect(problemsOf({ ...min, variableValues: { a: { b: [1, value] } } })).toContain(
    `variableValues.a.b[1]: ${name} cannot be sent as JSON`,
  );
  expect(problemsOf({ ...min, data: { rows: [{ x: 1 }, { x: { y: value } }] } })).toContain(
    `data.rows[1].x.y: ${name} cannot be sent as JSON`,
  );
});

describe('an option that an unset variable left empty is reported by name:', () => {
  const from = (scenario: object, environment: Record<string, string>) => () =>
    resolveScenario({ name: 'x', messages: ['Hi'], sessions: 1, ...scenario }, { flags: {}, environment });

  test('the agent, and in the same list the missing key', () => {
    const told = from({ target: { baseUrl: 'http://127.0.0.1:9', agentId: '' } }, {});
    expect(told).toThrow(/target\.agentId: is set but empty: most likely.*\n {2}target\.apiKey: is required/);
    expect(told).not.toThrow(/Too small/);
  });

  test('the key along with an empty address', () => {
    expect(from({ target: { baseUrl: '', agentId: 'a' } }, {})).toThrow(
      /target\.baseUrl: is set but empty.*\n {2}target\.apiKey: is required/,
    );
  });

  test.each(['MAX_TURNS', 'MAX_SESSIONS', 'MAX_COST', 'MAX_DURATION', 'SESSIONS', 'DURATION', 'CONCURRENCY', 'RATE'])(
    'CHAT_LOAD_%s, which bounds the run',
    (name) => {
      expect(from({}, { [`CHAT_LOAD_${name}`]: '' })).toThrow(`CHAT_LOAD_${name}: is set but empty: `);
    },
  );
});

test('fields that every message has belong to the hash of a scenario, and an empty list of them changes nothing', () => {
  const hashOf = (target?: object): string =>
    resolveScenario(
      { name: 'x', messages: ['Hi'], sessions: 1, ...(target && { target }) },
      { flags: {}, environment: {} },
    ).plan.hash;
  const bare = hashOf();
  const chat = { protocol: 'openai-chat' };
  expect(hashOf({ ...chat, messageBody: {} })).toBe(bare);
  expect(hashOf({ ...chat, messageBody: { temperature: 0 } })).not.toBe(bare);
});

describe('a second flag for an option', () => {
  const elsewhere = { target: { apiKey: 'k' } };
  const url = 'http://127.0.0.1:9/v1';
  const flags = (given: Surroundings['flags']): Partial<Surroundings> => ({ flags: given });

  test('--url sets the base URL, and --model the model of a protocol that has models', () => {
    const plan = planOf(elsewhere, flags({ url, model: 'm', protocol: 'openai-chat' }));
    expect(plan.target).toMatchObject({ baseUrl: url, agentId: 'm' });
    expect(plan.options).toMatchObject({
      'target.baseUrl': { value: url, from: 'flag' },
      'target.agentId': { value: 'm', from: 'flag' },
    });
    const under = flags({ 'base-url': url, 'agent-id': 'm', protocol: 'openai-chat' });
    expect(planOf(elsewhere, under)).toEqual(plan);
  });

  test('is refused along with the first, and problems are reported under the flag in use', () => {
    const both = { ...min, ...elsewhere };
    expect(problemsOf(both, flags({ url, 'base-url': url, 'agent-id': 'a' }))).toContain(
      '--url: sets the same option as --base-url: use one of them',
    );
    expect(problemsOf(both, flags({ url: 'nowhere', 'agent-id': 'a' }))).toContain('--url: expected a URL');
  });

  test('--model is rejected for a protocol that has agents, with the flag to use', () => {
    expect(problemsOf({ ...min, ...elsewhere }, flags({ url, model: 'm' }))).toContain(
      '--model: chat-messaging has agents, not models: use --agent-id',
    );
  });
});

describe('a base URL that ends in the path of a protocol', () => {
  const target = { agentId: 'm', apiKey: 'k' };
  const flags = (url: string, protocol?: string): Partial<Surroundings> => ({ flags: { 'base-url': url, protocol } });
  const resolvedWith = (parts: Partial<Surroundings>, given: object = {}) =>
    resolveScenario({ ...min, target: { ...target, ...given } }, around(parts));

  test('is corrected, and names the protocol that was not given', () => {
    const { plan, script, notes } = resolvedWith(flags('http://h/v1/chat/completions'));
    expect(plan.target).toMatchObject({ baseUrl: 'http://h/v1', protocol: 'openai-chat', createsSessions: false });
    expect(script.protocol.name).toBe('openai-chat');
    expect(notes).toEqual([
      'The base URL ends in /v1/chat/completions, a path of openai-chat: using http://h/v1 and the protocol openai-chat.',
    ]);
  });

  test('is corrected if the protocol is set too, and unchanged if it has another ending', () => {
    const { plan, notes } = resolvedWith({}, { baseUrl: 'http://h/v1/messages', protocol: 'anthropic-messages' });
    expect([plan.target.baseUrl, notes]).toEqual(['http://h/v1', [expect.stringMatching(/using http:\/\/h\/v1\.$/)]]);
    expect(resolvedWith(flags('http://h/v1', 'openai-chat'))).toMatchObject({
      plan: { target: { baseUrl: 'http://h/v1' } },
      notes: [],
    });
  });

  test('keeps a path without a version', () => {
    const { plan } = resolvedWith(flags('http://h/chat/completions'));
    expect(plan.target).toMatchObject({ baseUrl: 'http://h', messagesPath: '/chat/completions' });
  });

  test('streams if its protocol only streams', () => {
    expect(resolvedWith(flags('http://h/api/chat')).plan.target).toMatchObject({ protocol: 'ai-sdk', stream: true });
    expect(resolvedWith(flags('http://h/v1/messages')).plan.target.stream).toBe(false);
  });

  test('names the model, unless it is given', () => {
    const url = 'http://h/openai/deployments/gpt-x/chat/completions?api-version=2024-10-21';
    const { plan, notes } = resolveScenario({ ...min, target: { apiKey: 'k' } }, around(flags(url)));
    expect(plan.target).toMatchObject({ baseUrl: 'http://h', protocol: 'azure-openai', agentId: 'gpt-x' });
    expect(notes).toEqual([
      expect.stringMatching(/: using http:\/\/h, the protocol azure-openai and the model gpt-x\.$/),
    ]);
    expect(resolvedWith(flags(url)).plan.target.agentId).toBe('m');
  });

  test('is refused if another protocol is set, and both are named', () => {
    expect(problemsOf({ ...min, target }, flags('http://h/v1/messages', 'openai-chat'))).toContain(
      '--base-url: ends in /v1/messages, a path of anthropic-messages, but the protocol is openai-chat',
    );
  });

  test('is unchanged for a protocol of the scenario, and if the path of messages is set', () => {
    const own = resolvedWith({}, { baseUrl: 'http://h/v1/messages', protocol: spokenInJson });
    const path = { baseUrl: 'http://h/v1/responses', messagesPath: '/x', protocol: 'openai-chat' };
    expect([own.plan.target.baseUrl, resolvedWith({}, path).plan.target.baseUrl]).toEqual([
      'http://h/v1/messages',
      'http://h/v1/responses',
    ]);
  });

  test('resolves the same from the flags of its plan, as in a shard', () => {
    const dated = 'http://h/openai/deployments/x/chat/completions?api-version=1';
    for (const url of ['http://h/chat/completions', 'http://h/v1/chat/completions', dated]) {
      const { plan } = resolvedWith(flags(url));
      expect(resolvedWith({ flags: flagsOfPlan(plan) }).plan.target).toEqual(plan.target);
    }
  });
});

test('reports unknown keys, templates and gates together', () => {
  const author = { nmae: 'x', name: 'x', duraton: '1m', messages: ['{{foo}}'], gates: { 'turns.rate': '< 2' } };
  const around = { flags: {}, environment: {}, problemsOfGates: () => [{ path: 'gates.a', message: 'is unknown' }] };
  expect(() => resolveScenario(author, around)).toThrow(
    /unknown key 'nmae'[^]*unknown key 'duraton'[^]*gates\.a: is unknown\n {2}messages\[0\]: \{\{foo\}\}: unknown name/,
  );
});
