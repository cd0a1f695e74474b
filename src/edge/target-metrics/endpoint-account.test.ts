import { describe, expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { maxPoints } from '../../result/sections/target-metrics.ts';
import { EndpointAccount } from './endpoint-account.ts';
import { maxLabelSets, SampleReader } from './sample-reader.ts';

/** An endpoint that was scraped every second; '' is a failed scrape. The first and the last are outside the load. */
const scraped = (bodies: readonly string[], series: string[] | null = null, requests: string | null = null) => {
  const account = new EndpointAccount({ url: 'http://127.0.0.1:9/metrics', series, requests, everyMs: ms(1000) });
  bodies.forEach((body, index) => {
    if (body === '') return account.fail('connection refused', index * 1000);
    account.add(pageOf(account, body), index * 1000, index > 0 && index < bodies.length - 1);
  });
  return account.publish();
};

const pageOf = ({ wanted }: EndpointAccount, body: string) => {
  const reader = new SampleReader(wanted);
  reader.push(body);
  return reader.end();
};

const counter = (value: number) => `# TYPE c counter\nc_total ${String(value)}\nother 1\n`;
const gauge = (value: string) => `# TYPE g gauge\ng ${value}\n`;

describe('counters', () => {
  test('have rates between scrapes, and the increase of the run', () => {
    const [metric] = scraped([counter(5), counter(15), counter(35)], ['c']).metrics;
    expect(metric).toMatchObject({ before: 5, after: 35, increase: 30, resets: 0 });
    expect(metric?.lines).toEqual([{ name: 'rate', values: [null, 10, 20], mean: 15, max: 20 }]);
  });

  test('continue from the lower value after a decrease', () => {
    const [metric] = scraped([counter(100), counter(110), counter(4), counter(6)], ['c']).metrics;
    expect(metric).toMatchObject({ before: 100, after: 6, increase: 12, resets: 1 });
  });

  test('begin at zero if they appear during the run', () => {
    const found = scraped(['g 1\n', `g 1\n${counter(7)}`], ['g', 'c']).metrics;
    expect(found.find(({ name }) => name === 'c')).toMatchObject({ before: 0, after: 7, increase: 7 });
  });

  test('have a gap where a scrape failed, and the right rate after it', () => {
    const endpoint = scraped([counter(0), '', counter(20), counter(30)], ['c']);
    expect(endpoint.metrics[0]?.lines[0]?.values).toEqual([null, null, 10, 10]);
    expect(endpoint).toMatchObject({ scrapes: 4, failed: 1, failure: 'connection refused', isComplete: true });
  });

  test.each([
    ['the first', ['', counter(1), counter(2)]],
    ['the last', [counter(1), counter(2), '']],
  ])('are not complete without %s scrape', (_, bodies) => {
    expect(scraped(bodies, ['c']).isComplete).toBe(false);
  });

  test('have no value if they are not numbers', () => {
    expect(scraped(['# TYPE c counter\nc NaN\n', '# TYPE c counter\nc NaN\n'], ['c']).metrics[0]).toMatchObject({
      before: null,
      increase: null,
      lines: [{ mean: null }],
    });
  });
});

test('gauges have statistics of the scrapes during the load only', () => {
  const [metric] = scraped([gauge('0'), gauge('4'), gauge('8'), gauge('NaN'), gauge('0')], ['g']).metrics;
  expect(metric?.lines).toEqual([{ name: '', values: [0, 4, 8, null, 0], mean: 6, max: 8 }]);
});

test('histograms have percentiles between scrapes and of the whole run, in milliseconds', () => {
  const of = (fast: number, slow: number) =>
    `# TYPE vllm:time_to_first_token_seconds histogram\n${[
      ['0.1', fast],
      ['0.2', fast + slow],
      ['+Inf', fast + slow],
    ]
      .map(([le, value]) => `vllm:time_to_first_token_seconds_bucket{le="${String(le)}"} ${String(value)}`)
      .join('\n')}\nvllm:time_to_first_token_seconds_count ${String(fast + slow)}\n`;
  const endpoint = scraped([of(100, 0), of(110, 0), of(110, 10)]);
  expect(endpoint.presets).toEqual(['vLLM']);
  expect(endpoint.metrics[0]).toMatchObject({
    unit: 'ms',
    before: 100,
    increase: 20,
    lines: [
      { name: 'p50', values: [null, 50, 150], mean: 100 },
      { name: 'p95', values: [null, 95, 195], mean: 190 },
    ],
  });
});

test('CPU seconds are read as the busy share', () => {
  const cpu = (busy: number, idle: number) =>
    `# TYPE node_cpu_seconds_total counter\nnode_cpu_seconds_total{cpu="0",mode="idle"} ${String(idle)}\nnode_cpu_seconds_total{cpu="0",mode="user"} ${String(busy)}\n`;
  expect(scraped([cpu(0, 100), cpu(3, 101)]).metrics[0]).toMatchObject({
    unit: 'share',
    before: null,
    lines: [{ name: 'busy', values: [null, 0.75] }],
  });
});

test('a long run is scraped less and less often, and keeps a bounded number of points over its whole length', () => {
  const account = new EndpointAccount({
    url: 'http://127.0.0.1:9/metrics',
    series: ['g', 'c'],
    requests: null,
    everyMs: ms(1000),
  });
  let atMs = 0;
  for (let index = 0; index < 2200; index++) {
    const reader = new SampleReader(account.wanted);
    reader.push(`${gauge(String(atMs))}${counter(atMs * 3)}`);
    account.add(reader.end(), atMs, true);
    atMs += account.everyMs;
  }
  const endpoint = account.publish();
  const [gauges, counters] = endpoint.metrics;
  const [lastMs = 0, ...others] = endpoint.atMs.toReversed();
  expect([endpoint.scrapes, account.everyMs, others.at(-1)]).toEqual([2200, 8000, 0]);
  expect(endpoint.atMs.length).toBeLessThanOrEqual(maxPoints);
  expect(endpoint.atMs.length).toBeGreaterThan(maxPoints / 2);
  expect(gauges?.lines[0]?.values).toEqual(endpoint.atMs);
  expect(counters).toMatchObject({ before: 0, after: lastMs * 3, increase: lastMs * 3, lines: [{ mean: 3000 }] });
  expect(new Set(counters?.lines[0]?.values)).toEqual(new Set([null, 3000]));
});

test('labels that change in every scrape are bounded, and counted', () => {
  const endpoint = scraped(
    Array.from({ length: 50 }, (_, index) => `# TYPE g gauge\ng{id="${String(index)}"} 1\n`),
    ['g'],
  );
  expect(endpoint.metrics[0]?.lines).toHaveLength(maxLabelSets);
  expect(endpoint.metrics[0]?.omitted).toBe(50 - maxLabelSets);
});

test('a series that changes its type is an error', () => {
  expect(() => scraped([gauge('1'), '# TYPE g counter\ng 2\n'], ['g'])).toThrow(
    'the type of g changed from gauge to counter',
  );
});

test('a counter of requests that no scrape contains is named', () => {
  expect(scraped([gauge('1'), gauge('1')], ['g'], 'requests_total').requests).toBe('requests_total');
});
