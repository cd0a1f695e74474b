import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { renderResult, renderResultMarkdown } from '../../../test/support/render-outline.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { playedBy, workersOf } from '../../../test/support/synthetic-workers.ts';
import { resultSchema, type Result } from '../../result/result.ts';
import type { MetricsEndpoint, RequestCheck, TargetMetric } from '../../result/sections/target-metrics.ts';
import type { TimeBlock } from '../page/page.ts';
import { metricColumns } from './metric-columns.ts';
import { viewResults } from './result-outline.ts';

const metricOf = (
  name: string,
  kind: TargetMetric['kind'],
  unit: TargetMetric['unit'],
  other: Pick<TargetMetric, 'title' | 'lines'> & Partial<TargetMetric>,
): TargetMetric => {
  const counted = kind === 'gauge' ? [null, null, null] : [10, 1510, 1500];
  const [before = null, after = null, increase = null] = counted;
  const whole = { resets: 0, vanished: 0, isExact: true, omitted: 0 };
  return { name, kind, unit, before, after, increase, ...whole, ...other };
};
const endpointOf = (host: string, other: Partial<MetricsEndpoint> = {}): MetricsEndpoint => ({
  url: `http://${host}/metrics`,
  presets: ['vLLM'],
  scrapes: 4,
  failed: 0,
  unreadable: 0,
  failure: null,
  withheld: null,
  requests: 'vllm:request_success_total',
  isComplete: true,
  atMs: [0, 500, 1500, 2500],
  everyMs: 1000,
  metrics: [
    metricOf('vllm:num_requests_running', 'gauge', 'count', {
      title: 'Requests in the engine',
      omitted: 2,
      lines: [{ name: 'engine="0"', values: [0, 3, 5, null], mean: 4, max: 5 }],
    }),
    metricOf('vllm:request_success_total', 'counter', 'perSecond', {
      title: 'Requests',
      resets: 1,
      lines: [{ name: 'rate', values: [null, 100, 200, 300], mean: 200, max: 300 }],
    }),
    metricOf('vllm:time_to_first_token_seconds', 'histogram', 'ms', {
      title: 'Time to first token',
      lines: [
        { name: 'p50', values: [null, 20, 30, 40], mean: 31, max: 40 },
        { name: 'p95', values: [null, 80, 90, 99], mean: 91, max: 99 },
      ],
    }),
  ],
  ...other,
});

const plain = resultOf(finishedRun());
const withMetrics = (endpoints: readonly MetricsEndpoint[], check: Partial<RequestCheck> = {}): Result => ({
  ...plain,
  targetMetrics: {
    endpoints: [...endpoints],
    requests: [
      {
        counter: 'vllm:request_success_total',
        endpoints: 1,
        counted: 1500,
        sent: 1500,
        notConnected: 0,
        notOk: 0,
        ...check,
      },
    ],
  },
});

const terminal = (result: Result): string =>
  renderResult(result, { width: 80, colors: picocolors.createColors(false) });
const chartsOf = (...results: Result[]): TimeBlock[] =>
  viewResults(results)
    .sections.filter(({ id }) => id === 'target-metrics')
    .flatMap(({ blocks }) => blocks)
    .filter((block) => block.type === 'time');

describe("the section of the target's metrics", () => {
  test('is absent without metrics, also in results from before', () => {
    const { targetMetrics, ...old } = plain;
    expect(targetMetrics).toBeNull();
    const read = resultSchema.parse(old);
    expect(read.targetMetrics).toBeNull();
    expect(terminal(read)).not.toContain("TARGET'S METRICS");
    expect(renderResultMarkdown(read)).not.toContain("Target's metrics");
    expect(viewResults([read]).sections.map(({ id }) => id)).not.toContain('target-metrics');
  });

  test('lists counters before and after, gauges and percentiles', () => {
    const text = terminal(withMetrics([endpointOf('127.0.0.1:8000')]));
    expect(text).toContain("TARGET'S METRICS");
    expect(text).toMatch(/^vllm:num_requests_running +mean 4, max 5$/m);
    expect(text).toMatch(/^vllm:request_success_total +10 +1,510 +\+1,500 +200\/s; 1 reset, or\n +another process$/m);
    expect(text).toMatch(/^vllm:time_to_first_token_seconds +10 +1,510 +\+1,500 +p50 31.0 ms,/m);
    expect(text).toContain('http://127.0.0.1:8000/metrics: vLLM, 4 scrapes; 2 further label sets not shown');
  });

  test.each([
    [{}, 'exactly as many as chat-load sent'],
    [
      { counted: 1510 },
      '10 more than the 1,500 that chat-load sent: other clients, health checks, retries of a gateway, or another process behind this address',
    ],
    [{ counted: 1490, notConnected: 10 }, '10 fewer than the 1,500 that chat-load sent: 10 attempts could not connect'],
    [
      { counted: 1490, notOk: 10 },
      '10 others were not ok: they may be lost before they arrived, and many counters count only successes',
    ],
    [{ counted: 1490 }, 'requests may be counted after the last scrape, or by a replica that is not scraped'],
  ])('explains the comparison of requests: %o', (check, words) => {
    const text = terminal(withMetrics([endpointOf('127.0.0.1:8000')], check)).replace(/\s+/g, ' ');
    expect(text).toContain(words);
  });

  test('names a lost shard among the causes of more requests', () => {
    const result = withMetrics([endpointOf('127.0.0.1:8000')], { counted: 1510 });
    const lost = { atMs: 3000, reason: 'its process was ended by SIGKILL' };
    const withLoss = playedBy(result, workersOf(2, [{ lost }]));
    const words = 'that chat-load sent: the last requests of a lost shard, other clients';
    expect(terminal(withLoss).replace(/\s+/g, ' ')).toContain(words);
    expect(terminal(result).replace(/\s+/g, ' ')).not.toContain(words);
  });

  test('names a counter that could not be compared, with the reason', () => {
    const told = (changes: Partial<MetricsEndpoint>): string =>
      terminal({
        ...plain,
        targetMetrics: { endpoints: [endpointOf('127.0.0.1:8000', changes)], requests: [] },
      }).replace(/\s+/g, ' ');
    const { metrics } = endpointOf('127.0.0.1:8000');
    expect(told({ isComplete: false })).toContain('because its first or last scrape failed');
    expect(told({ metrics: [] })).toContain('because it was not found');
    expect(told({ metrics: metrics.map((each) => ({ ...each, resets: 1 })) })).toContain(
      'because it was reset during the run, or another process answered, and',
    );
    expect(told({ metrics: metrics.map((each) => ({ ...each, resets: 0, increase: null })) })).toContain(
      'is not a number',
    );
    const vanished = metrics.map((each) => ({ ...each, resets: 0, vanished: 1, isExact: false }));
    expect(told({ metrics: vanished })).toContain('because a label set of it disappeared during the run');
    const withheld = told({ metrics: [], withheld: 'counters decreased repeatedly without a new start time' });
    expect(withheld).toContain(
      'all figures of http://127.0.0.1:8000/metrics are withheld, because several processes answer there, each with counters of its own, or one that restarted: counters decreased repeatedly without a new start time',
    );
    expect(withheld).not.toContain('is not compared');
  });

  test('marks an increase that is a lower bound, with the reason', () => {
    const [, requests = metricOf('', 'counter', 'perSecond', { title: '', lines: [] })] = endpointOf('h').metrics;
    const bounded = { ...requests, resets: 0, vanished: 2, isExact: false };
    const text = terminal(withMetrics([endpointOf('h', { metrics: [bounded], unreadable: 3 })]));
    expect(text).toMatch(/^vllm:request_success_total +10 +1,510 +≥ \+1,500 200\/s; 2 label sets disappeared$/m);
    expect(text.replace(/\s+/g, ' ')).toContain('4 scrapes; 3 samples not readable');
  });

  test('draws series of one title together, and names the hosts of several endpoints', () => {
    const [charts, several] = [
      chartsOf(withMetrics([endpointOf('127.0.0.1:8000')])),
      chartsOf(withMetrics([endpointOf('127.0.0.1:8000'), endpointOf('127.0.0.1:8001')])),
    ];
    expect(charts.map(({ title, unit }) => [title, unit])).toEqual([
      ['Requests in the engine', 'count'],
      ['Requests', 'perSecond'],
      ['Time to first token', 'ms'],
    ]);
    expect(charts[2]?.series.map(({ label }) => label)).toEqual(['p50', 'p95']);
    expect(several[2]?.series.map(({ label }) => label)).toEqual([
      'p50 at 127.0.0.1:8000',
      'p95 at 127.0.0.1:8000',
      'p50 at 127.0.0.1:8001',
      'p95 at 127.0.0.1:8001',
    ]);
  });
});

describe('the columns of a timeline', () => {
  const intervals = Array.from({ length: 8 }, (_, index) => ({ startMs: index * 500, lengthMs: 500 }));
  const columns = metricColumns(withMetrics([endpointOf('h')]).targetMetrics, intervals);

  test('keep a gauge until the next scrape, with gaps for missing values', () => {
    expect(columns['target 0 vllm:num_requests_running engine="0"']).toEqual([0, 3, 3, 5, 5, null, null, null]);
  });

  test('draw a rate through the period that it belongs to, and nothing after the last scrape', () => {
    expect(columns['target 0 vllm:request_success_total rate']).toEqual([null, 100, 200, 200, 300, 300, null, null]);
  });

  test('do not bridge missing scrapes', () => {
    const far = endpointOf('h', { atMs: [0, 500, 20_000, 30_000] });
    const late = metricColumns(withMetrics([far]).targetMetrics, [{ startMs: 10_000, lengthMs: 500 }]);
    expect(Object.values(late).flat()).toEqual([null, null, null, null]);
  });

  test('are means of the scrapes in a wide interval', () => {
    const wide = metricColumns(withMetrics([endpointOf('h')]).targetMetrics, [{ startMs: 0, lengthMs: 10_000 }]);
    expect(wide['target 0 vllm:request_success_total rate']).toEqual([200]);
  });
});
