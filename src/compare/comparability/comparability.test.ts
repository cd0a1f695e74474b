import { describe, expect, test } from 'vitest';
import { playedBy, workersOf } from '../../../test/support/synthetic-workers.ts';
import { releaseRun, type ReleaseRun } from '../../../test/support/release-run.ts';
import type { Environment } from '../../result/sections/environment.ts';
import type { Result } from '../../result/result.ts';
import type { Transport } from '../../result/sections/transport.ts';
import { judgeComparability } from './comparability.ts';

const small = { intervals: 12, turnsPerInterval: 20 };
const base = releaseRun({ id: 'base-1', ...small });
const other = (options: Partial<ReleaseRun> = {}): Result =>
  releaseRun({ id: 'head-1', draw: 2, ...small, ...options });

const judge = (head: readonly Result[], bases: readonly Result[] = [base], force = false) =>
  judgeComparability(
    {
      base: { label: 'v1', runs: bases.map((result, at) => ({ file: `base-${String(at)}.json`, result })) },
      head: { label: 'v2', runs: head.map((result, at) => ({ file: `head-${String(at)}.json`, result })) },
    },
    { force },
  );
const refusedKeys = (...sides: Parameters<typeof judge>) => judge(...sides).refusals.map(({ key }) => key);
const warnedKeys = (...sides: Parameters<typeof judge>) => judge(...sides).warnings.map(({ key }) => key);

const onMachine = (change: Partial<Environment>): Result => {
  const result = other();
  return { ...result, environment: result.environment && { ...result.environment, ...change } };
};

describe('runs can be compared', () => {
  test('when nothing but the service and chance differs', () => {
    expect(judge([other()])).toEqual({ isComparable: true, forced: false, refusals: [], warnings: [] });
  });

  test('when the system or Node.js had a minor update, and memory differs slightly', () => {
    const change = { os: 'Linux 6.9', nodeVersion: '20.99.1', memoryBytes: 8.05e9 };
    expect(judge([onMachine(change)]).isComparable).toBe(true);
  });
});

describe('runs with equal numbers of shards can be compared', () => {
  const bases = [playedBy(base, workersOf(4))];

  test('whatever machine coordinated them', () => {
    const { environment, ...head } = other();
    const coordinated = { ...head, environment: environment && { ...environment, cores: 64, memoryBytes: 1e12 } };
    expect(judge([playedBy(coordinated, workersOf(4))], bases)).toMatchObject({ isComparable: true, warnings: [] });
  });

  test('and their hosts are named if they differ', () => {
    const head = playedBy(other(), workersOf(4, [{ host: 'b' }, { host: 'c' }, { host: 'a' }]));
    expect(judge([head], bases).warnings).toMatchObject([
      { key: 'environment.host', base: 'lab', head: 'a, b, c, and 1 more' },
    ]);
  });
});

describe('a comparison is rejected', () => {
  test.each([
    ['thinkTime', { thinkTime: '2s' }, { thinkTime: '5s' }, ['plan.options.thinkTime', '2s', '5s']],
    ['load', { load: { concurrency: 5 } }, { load: { concurrency: 9 } }, ['plan.options.load.concurrency', '5', '9']],
    ['retry', {}, { retry: { base: '1s' } }, ['plan.options.retry.base', '500ms', '1s']],
    ['warmUp', {}, { warmUp: '2s' }, ['plan.options.warmUp', '0s', '2s']],
  ] as const)('for scenarios that differ in %s, shown as its author wrote it', (_, from, to, [key, was, is]) => {
    const { refusals } = judge([other({ scenario: to })], [releaseRun({ id: 'base-1', ...small, scenario: from })]);
    expect(refusals.map((each) => [each.key, each.base, each.head])).toEqual([[key, was, is]]);
  });

  test('for other messages, which are shown by number and hash', () => {
    const { refusals } = judge([other({ scenario: { messages: ['Hi', 'There'] } })]);
    const refusal = refusals.find(({ key }) => key === 'plan.messages');
    expect(refusal?.base).toMatch(/^1 item, #[0-9a-f]{8}$/);
    expect(refusal?.head).toMatch(/^2 items, #[0-9a-f]{8}$/);
  });

  test('for a hash that no difference of the plans explains', () => {
    const head = other();
    expect(refusedKeys([{ ...head, scenario: { ...head.scenario, hash: 'f'.repeat(64) } }])).toEqual(['scenario.hash']);
  });

  test('for several scenarios on one side, naming the side', () => {
    const mixed = [base, releaseRun({ id: 'base-2', ...small, scenario: { name: 'another', thinkTime: '9s' } })];
    const [refusal] = judge([other()], mixed).refusals;
    expect(refusal?.key).toBe('scenario.hash');
    expect(refusal?.message).toBe('these are runs of different scenarios, even within base');
    expect(refusal?.base).toMatch(/^release #\w{8} \/ another #\w{8}$/);
  });

  test.each<[string, Partial<Environment>]>([
    ['environment.cpuModel', { cpuModel: 'another processor' }],
    ['environment.cores', { cores: 4 }],
    ['environment.arch', { arch: 'arm64' }],
    ['environment.os', { os: 'Linux 5.15' }],
    ['environment.nodeVersion', { nodeVersion: '22.1.0' }],
    ['environment.memoryBytes', { memoryBytes: 8.2e9 }],
  ])('for another machine class: %s', (key, change) => {
    expect(refusedKeys([onMachine(change)])).toEqual([key]);
  });

  test('for another number of shards, named for both sides', () => {
    const refused = judge([playedBy(other(), workersOf(4))]).refusals;
    expect(refused).toEqual([
      {
        key: 'environment.workers',
        base: '1 shard',
        head: '4 shards',
        message: 'the load was distributed over different numbers of shards',
        remedy: null,
      },
    ]);
    expect(judge([playedBy(other(), workersOf(2))], [playedBy(base, workersOf(3))], true).forced).toBe(true);
  });

  test('for equal numbers of shards on machines of other classes, in any order', () => {
    const bigger = { cores: 16 };
    const bases = [playedBy(base, workersOf(3, [bigger]))];
    expect(refusedKeys([playedBy(other(), workersOf(3, [{}, bigger]))], bases)).toEqual([]);
    const [refusal, ...others] = judge([playedBy(other(), workersOf(3, [bigger, bigger]))], bases).refusals;
    expect(others).toEqual([]);
    expect(refusal).toMatchObject({
      key: 'environment.workers',
      message: 'the shards ran on machines of different classes',
      base: expect.stringMatching(/^1 × a processor, 16 cores, .*; 2 × a processor, 2 cores, /) as string,
    });
  });

  test('for another target kind, and another profile of the embedded service', () => {
    const head = other();
    const elsewhere = { ...head, target: { ...head.target, embedded: false } };
    expect(refusedKeys([elsewhere])).toEqual(['target.embedded']);
    const slower = other({ scenario: { embedded: { latency: '20ms' } } });
    expect(refusedKeys([slower])).toContain('plan.embedded.latency.ms');
  });

  test.each([
    ['stream', true, 'not streamed', 'streamed'],
    ['protocol', 'openai-chat', 'chat-messaging', 'openai-chat'],
  ] as const)('for another way to access the service: target.%s', (field, is, from, to) => {
    const head = other();
    const [refusal, ...others] = judge([{ ...head, target: { ...head.target, [field]: is } }]).refusals;
    expect(others).toEqual([]);
    expect(refusal).toMatchObject({ key: `target.${field}`, base: from, head: to });
  });

  test('for runs by duration that were not measured equally long', () => {
    const head = other();
    expect(refusedKeys([{ ...head, intervals: head.intervals.slice(0, 11) }])).toEqual(['rates.measuredMs']);
  });

  test('for another set of seeds, whatever their order and number', () => {
    const seeded = (id: string, seed: number) => releaseRun({ id, ...small, scenario: { seed } });
    const bases = [seeded('a', 1), seeded('b', 2)];
    expect(refusedKeys([seeded('c', 2), seeded('d', 1), seeded('e', 1)], bases)).toEqual([]);
    const [refusal] = judge([seeded('c', 2), seeded('d', 3)], bases).refusals;
    expect(refusal).toMatchObject({ key: 'scenario.seed', base: '1, 2', head: '2, 3' });
  });

  const late: Result['validity']['reasons'][number] = {
    code: 'late',
    severity: 'invalid',
    message: 'sessions were late',
    remedy: '',
    blame: 'generator',
  };

  test('not for a degraded run, whose doubtful figures are omitted one by one', () => {
    const degraded: Result['validity'] = { verdict: 'degraded', reasons: [{ ...late, severity: 'degraded' }] };
    expect(refusedKeys([{ ...other(), validity: degraded }])).toEqual([]);
  });

  test('for a run that is invalid, did not end, or has inconsistent counts', () => {
    const head = other();
    const invalid: Result = { ...head, validity: { verdict: 'invalid', reasons: [late] } };
    expect(judge([invalid, { ...other(), run: { ...head.run, id: 'x' } }]).refusals).toEqual([
      {
        key: 'validity.verdict',
        base: 'valid',
        head: '1 invalid / 1 valid',
        message: 'a run is invalid',
        runs: ['head-0.json (invalid: sessions were late)'],
        remedy: 'Exclude it.',
      },
    ]);
    expect(refusedKeys([{ ...head, run: { ...head.run, status: 'interrupted' } }])).toEqual(['run.status']);
    expect(refusedKeys([{ ...head, books: { ...head.books, balanced: false } }])).toEqual(['books.balanced']);
  });

  describe('for a run that is unusable by itself', () => {
    const runs = (name: string) =>
      [1, 2, 3].map((seed) => releaseRun({ id: `${name}-${String(seed)}`, draw: seed, ...small, scenario: { seed } }));
    const validity: Result['validity'] = { verdict: 'invalid', reasons: [late] };
    const spoilt = (results: readonly Result[], places: readonly number[]) =>
      results.map((result, at) => (places.includes(at) ? { ...result, validity } : result));

    test('and names its file, its reason and the run of the same seed to omit with it', () => {
      const [refusal] = judge(spoilt(runs('v2'), [1]), runs('v1')).refusals;
      expect(refusal?.runs).toEqual(['head-1.json (invalid: sessions were late)']);
      expect(refusal?.remedy).toBe('Exclude it, and the run of the same seed on the other side: base-1.json.');
    });

    test('on either side, with the remaining runs of both', () => {
      const [refusal] = judge(spoilt(runs('v2'), [1]), spoilt(runs('v1'), [0])).refusals;
      expect(refusal?.runs).toEqual(['base-0.json, head-1.json (invalid: sessions were late)']);
      expect(refusal?.remedy).toBe(
        'Exclude them, and the runs of the same seeds on the other side: base-1.json, head-0.json.',
      );
    });

    test('and must be measured again if nothing would remain', () => {
      const [refusal] = judge(spoilt(runs('v2'), [0, 1, 2]), runs('v1')).refusals;
      expect(refusal?.remedy).toBe('Measure again: without them the sides have no seed in common.');
      const stopped = other();
      expect(judge([{ ...stopped, run: { ...stopped.run, status: 'stopped' } }]).refusals).toMatchObject([
        {
          message: 'not every run completed',
          runs: ['head-0.json (stopped)'],
          remedy: expect.stringMatching(/^Measure again/),
        },
      ]);
    });
  });

  test('once, for the same runs on both sides, or twice on one', () => {
    expect(judge([base]).refusals).toEqual([
      {
        key: 'run.id',
        base: '1 of 1 run',
        head: '1 of 1 run',
        message: 'both sides contain the same run: base-0.json, head-0.json',
        remedy: 'Name runs of two different releases.',
      },
    ]);
    expect(judge([other(), other()]).refusals).toMatchObject([
      {
        base: '0 of 1 run',
        head: '2 of 2 runs',
        message: 'one side contains the same run more than once: head-0.json, head-1.json',
        remedy: 'Name each run once.',
      },
    ]);
  });

  test('unless it is forced, and keeps its reasons', () => {
    expect(judge([base], [base], true)).toMatchObject({
      isComparable: false,
      forced: true,
      refusals: [{ key: 'run.id' }],
    });
    expect(judge([other()], [base], true).forced).toBe(false);
  });
});

describe('a reader is warned', () => {
  test('of another host, address, version, commit and objective', () => {
    const head = onMachine({ host: 'elsewhere', git: { commit: 'b'.repeat(40), branch: null, dirty: true } });
    const bases: Result[] = [
      {
        ...base,
        environment: base.environment && {
          ...base.environment,
          git: { commit: 'a'.repeat(40), branch: 'main', dirty: false },
        },
      },
    ];
    const changed: Result = {
      ...head,
      run: { ...head.run, toolVersion: '9.9.9' },
      target: { ...head.target, agentId: 'another' },
      scenario: { ...head.scenario, plan: { ...head.scenario.plan, objectiveMs: 500 as never } },
    };
    expect(warnedKeys([changed], bases)).toEqual([
      ...['target.agentId', 'plan.objectiveMs', 'environment.host', 'environment.git.commit', 'run.toolVersion'],
    ]);
    expect(judge([changed], bases).isComparable).toBe(true);
  });

  test('of another address, unless the releases ran alternately, each at its own', () => {
    const at = (result: Result, baseUrl: string): Result => ({ ...result, target: { ...result.target, baseUrl } });
    const pairOf = (pair: string, [from, to]: readonly [string, string]) => {
      const place = { sitting: 'tonight', pair };
      return [
        at(releaseRun({ id: `base-${pair}`, ...small, ...place }), from),
        at(releaseRun({ id: `head-${pair}`, draw: 2, ...small, ...place }), to),
      ] as const;
    };
    const warnedOf = (...pairs: readonly (readonly [Result, Result])[]) =>
      warnedKeys(
        pairs.map(([, head]) => head),
        pairs.map(([first]) => first),
      );
    const [old, fresh, third] = ['http://127.0.0.1:1', 'http://127.0.0.1:2', 'http://127.0.0.1:3'];
    expect(warnedOf(pairOf('1', [old, fresh]), pairOf('2', [old, fresh]))).toEqual([]);
    expect(warnedOf(pairOf('1', [old, fresh]), pairOf('2', [old, third]))).toEqual(['target.baseUrl']);
    expect(warnedKeys([at(other(), fresh)], [at(base, old)])).toEqual(['target.baseUrl']);
  });

  test('of an unknown machine, without a refusal', () => {
    const [warning] = judge([{ ...other(), environment: null }]).warnings;
    expect(warning).toMatchObject({ key: 'environment', base: 'known', head: 'unknown for 1 of 1 runs' });
    expect(judge([{ ...other(), environment: null }]).isComparable).toBe(true);
  });

  const went = (result: Result, transport: Partial<Transport>): Result => ({
    ...result,
    transport: {
      proxy: null,
      exchanges: { http1: 1, http2: 0 },
      addresses: [],
      tls: null,
      http2: null,
      tokens: null,
      ...transport,
    },
  });

  test('of another route to the service: versions of HTTP, a proxy', () => {
    const [plain, overHttp2] = [went(base, {}), went(other(), { exchanges: { http1: 0, http2: 9 } })];
    expect(judge([overHttp2], [plain]).warnings).toMatchObject([
      { key: 'transport.exchanges', base: 'HTTP/1.1', head: 'HTTP/2' },
    ]);
    expect(warnedKeys([went(other(), { proxy: 'http://proxy:3128' })], [plain])).toEqual(['transport.proxy']);
    expect(warnedKeys([went(other(), {})], [base])).toEqual([]);
  });

  test('of certificates that were not verified, on either side', () => {
    const tls = { protocol: 'TLSv1.3', handshakes: 1, resumed: 0, isVerified: false, issuer: '', validTo: null };
    const insecure = (result: Result): Result => went(result, { tls });
    expect(judge([insecure(other())]).warnings).toMatchObject([
      { key: 'transport.tls.isVerified', base: 'verified', head: 'not verified in 1 of 1 runs' },
    ]);
    expect(warnedKeys([insecure(other())], [insecure(base)])).toEqual(['transport.tls.isVerified']);
  });

  test('of a calibration more than 3 % apart, and of numbers of turns more than 2 % apart', () => {
    const calibrated = (result: Result, calibrationMs: number): Result => ({
      ...result,
      environment: result.environment && { ...result.environment, calibrationMs },
    });
    expect(warnedKeys([calibrated(other(), 10.2)], [calibrated(base, 10)])).toEqual([]);
    expect(warnedKeys([calibrated(other(), 10.4)], [calibrated(base, 10)])).toEqual(['environment.calibrationMs']);
    expect(warnedKeys([other({ turnsPerInterval: 21 })])).toContain('turns.finished');
  });

  test('of a throughput that fell within a run, but not of a run by sessions', () => {
    const leaking = (head: Result, leak: number): Result => ({
      ...head,
      intervals: head.intervals.map((interval, at) => ({
        ...interval,
        turns: { ...interval.turns, ok: 1000 - leak * at + (at % 3) },
      })),
    });
    const long = { intervals: 60 };
    const bases = [releaseRun({ id: 'base-1', ...small, ...long })];
    // From the middle of the first third to the middle of the last: 40 of 60 intervals.
    expect(judge([leaking(other(long), 2)], bases).warnings).toMatchObject([
      { key: 'rates.turnsPerSecond', base: 'steady', head: '−8.1 %' },
    ]);
    expect(warnedKeys([leaking(other(long), 0.5)], bases)).toEqual([]);
    const bySessions = { ...small, ...long, scenario: { sessions: 400 } };
    const others = [releaseRun({ id: 'base-1', ...bySessions })];
    expect(warnedKeys([leaking(releaseRun({ id: 'head-1', ...bySessions }), 2)], others)).toEqual([]);
  });
});
