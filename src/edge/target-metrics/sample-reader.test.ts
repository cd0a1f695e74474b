import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wantedSeries } from './known-series.ts';
import { maxLabelSets, SampleReader } from './sample-reader.ts';

const readPage = (body: string, ...series: string[]) => {
  const reader = new SampleReader(wantedSeries({ series, requests: null }));
  reader.push(body);
  return reader.end();
};
const read = (body: string, ...series: string[]) => readPage(body, ...series).families;
const setsOf = (body: string, ...series: string[]) =>
  [...(read(body, ...series).get(series[0] ?? '')?.sets ?? [])].map(([key, { sum }]) => [key, sum]);

describe('the text format', () => {
  test('keeps a counter by label set, with escapes, timestamps and exponents', () => {
    const body = '# TYPE a counter\na{x="q\\"}\\\\,\\n"} 1\na{x="b",} 2.5e1 1395066363000\na_other 7\na 0x10\n';
    expect(setsOf(body, 'a')).toEqual([
      ['x\0q"}\\,\n\0', 1],
      ['x\0b\0', 25],
      ['', 16],
    ]);
  });

  test('knows a label set in any order of its labels', () => {
    const twice = '# TYPE a counter\na{y="q",x="p"} 3\na{x="p",y="q"} ';
    expect(setsOf(`${twice}3\n`, 'a')).toEqual([['x\0p\0y\0q\0', 3]]);
    // Nobody knows which of the two is right.
    expect(setsOf(`${twice}4\n`, 'a')).toEqual([['x\0p\0y\0q\0', NaN]]);
  });

  test('shows labels without their escapes', () => {
    const family = read('# TYPE g gauge\ng{x="q\\"}\\\\,\\n"} 1\n', 'g').get('g');
    expect([...(family?.gauges.keys() ?? [])]).toEqual(['x="q"}\\,\n"']);
  });

  test('selects by labels', () => {
    const body = '# TYPE a counter\na{path="/chat",code="200"} 3\na{path="/chat",code="500"} 4\na{path="/metrics"} 9\n';
    expect(setsOf(body, 'a{path="/chat"}').map(([, sum]) => sum)).toEqual([3, 4]);
  });

  test('reads OpenMetrics: types without the suffix, exemplars, the created time and the end', () => {
    const body =
      '# TYPE foo counter\nfoo_total{a="b"} 17.0 1520879607.789 # {id="x"} 0.5\nfoo_created{a="b"} 1.5e9\n# EOF\n';
    expect(setsOf(body, 'foo')).toEqual([['a\0b\0', 17]]);
    expect(setsOf(body, 'foo_total')).toEqual([['a\0b\0', 17]]);
  });

  test('keeps histograms by label set', () => {
    const of = (model: string) =>
      `h_bucket{m="${model}",le="0.1"} 3 # {trace="1"} 0.05\nh_bucket{m="${model}",le="+Inf"} 4\nh_sum{m="${model}"} 1.5\nh_count{m="${model}"} 4\n`;
    const family = read(`# TYPE h histogram\n${of('a')}${of('b')}`, 'h').get('h');
    const buckets = new Map([
      [0.1, 3],
      [Infinity, 4],
    ]);
    expect(family?.kind).toBe('histogram');
    expect([...(family?.sets ?? [])]).toEqual([
      ['m\0a\0', { sum: 1.5, count: 4, idle: 0, buckets }],
      ['m\0b\0', { sum: 1.5, count: 4, idle: 0, buckets }],
    ]);
  });

  test('reads the sums of a summary, not its quantiles', () => {
    const body = '# TYPE s summary\ns{quantile="0.5"} 99\ns_sum 8\ns_count 4\n';
    expect(read(body, 's').get('s')).toMatchObject({
      kind: 'histogram',
      sets: new Map([['', { sum: 8, count: 4, idle: 0, buckets: new Map() }]]),
      gauges: new Map(),
    });
  });

  test('keeps gauges by label set, also special values, and counts those beyond the maximum', () => {
    const sets = Array.from(
      { length: maxLabelSets + 3 },
      (_, index) => `g{n="${String(index)}"} ${['NaN', '+Inf', '-Inf'][index] ?? '1'}\n`,
    );
    const family = read(`# TYPE g gauge\n${sets.join('')}`, 'g').get('g');
    expect([...(family?.gauges.values() ?? [])].slice(0, 4)).toEqual([NaN, Infinity, -Infinity, 1]);
    expect([family?.gauges.size, family?.omitted]).toEqual([maxLabelSets, 3]);
  });

  test('guesses the type of samples without one', () => {
    const found = read('a_total 1\nb 2\nc_bucket{le="1"} 1\nc_count 1\n', 'a_total', 'b', 'c');
    expect([...found.values()].map(({ kind }) => kind)).toEqual(['counter', 'gauge', 'histogram']);
  });

  test('does not take another gauge for a part of one', () => {
    const found = read(
      '# TYPE queue gauge\nqueue 3\n# TYPE queue_count gauge\nqueue_count 9\nqueue_total 8\n',
      'queue',
    ).get('queue');
    expect(found).toMatchObject({ kind: 'gauge', sets: new Map(), gauges: new Map([['', 3]]) });
    expect(read('# TYPE jobs_total gauge\njobs_total 3\n', 'jobs_total').get('jobs_total')?.kind).toBe('gauge');
  });

  test.each(['a', 'a{', 'a{x="1} 2', 'a{x="1"', 'a b', 'a{} 1_000', 'a {}'])(
    'rejects a wanted line such as %s',
    (line) => {
      expect(() => read(`${line}\n`, 'a')).toThrow("line 1 is not in Prometheus' text format");
    },
  );

  test('loses only the samples that are not readable', () => {
    const body = 'a{x="1"} 5\na{x="2"} -NaN\na{x="3"} +Inf\na{x="4"} three\na{x="5} 6\na{x="7"} 8\r\n';
    const family = read(`# TYPE a counter\n${body}`, 'a').get('a');
    expect([...(family?.sets.values() ?? [])].map(({ sum }) => sum)).toEqual([5, NaN, NaN, NaN, 8]);
    expect(family).toMatchObject({ unreadable: 4, isPartial: true });
  });

  test('reads a gauge of -nan as a gauge without a value', () => {
    const family = read('# TYPE g gauge\ng -nan\n', 'g').get('g');
    expect(family).toMatchObject({ gauges: new Map([['', NaN]]), unreadable: 0 });
  });

  test.each([
    ['process_start_time_seconds 1.7e9\n', 1.7e9],
    ['process_start_time_seconds{app="x"} 1.7e9\r\n', 1.7e9],
    ['process_start_time_seconds{pid="1"} 5\nprocess_start_time_seconds{pid="2"} 6\n', undefined],
    ['process_start_time_seconds NaN\n', undefined],
    ['', undefined],
  ])('has the start of the process: %j', (line, start) => {
    const page = readPage(`${line}a_total 1\n`, 'a_total');
    expect(page.startSeconds).toBe(start);
    expect([...page.families.keys()]).toEqual(['a_total']);
  });

  test('takes names of the prototype as labels', () => {
    expect([...(read('g{__proto__="x",constructor="y"} 1\n', 'g').get('g')?.gauges.keys() ?? [])]).toEqual([
      '__proto__="x", constructor="y"',
    ]);
  });

  test('rejects more samples than any known software exports', () => {
    expect(() => read('a 1\n'.repeat(20_001), 'a')).toThrow('more than 20,000 samples');
    expect(read('b 1\n'.repeat(20_001), 'a').size).toBe(0);
  });

  test('rejects a line without an end', () => {
    expect(() => read('x'.repeat(70_000), 'a')).toThrow('longer than 64 kB');
  });
});

test('a body is read alike in any chunks', () => {
  const body =
    '# TYPE h histogram\r\nh_bucket{le="1"} 3\nh_count 4\nh_sum 2\n# HELP x \u00e9\n# TYPE c counter\nc{a="\u{1f600}"} 5';
  const whole = read(body, 'h', 'c');
  fc.assert(
    fc.property(fc.array(fc.nat(body.length)), (cuts) => {
      const reader = new SampleReader(wantedSeries({ series: ['h', 'c'], requests: null }));
      const ends = [...cuts, body.length].toSorted((a, b) => a - b);
      ends.reduce((from, to) => {
        reader.push(body.slice(from, to));
        return to;
      }, 0);
      expect(reader.end().families).toEqual(whole);
    }),
  );
});

test('any text is either read or rejected with a reason', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '{', '}', '"', '\\', '=', ',', ' ', '\n', '1', '#', 'NaN') }),
      (body) => {
        try {
          read(body, 'a');
        } catch (thrown) {
          expect(String(thrown)).toMatch(/text format|not metrics/);
        }
      },
    ),
  );
});
