import { renderResult, renderResultMarkdown } from '../../../test/support/render-outline.ts';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import type { Result } from '../../result/result.ts';
import { blocksOf, figureOf, sectionOf } from '../../../test/support/page-parts.ts';
import { formatMs } from '../../base/format.ts';
import { renderIntervalCsv } from './interval-files.ts';
import { viewResults } from './result-outline.ts';

const style = { colors: picocolors.createColors(false), width: 80 };
const run = finishedRun({ sessions: 600, objective: { turn: '3s', firstToken: '800ms' } }, { isStreamed: true });
const streamed = resultOf(run);
const whole = resultOf(finishedRun({ sessions: 600 }));
const textOf = (result: Result): string => renderResult(result, style);

describe('the report of a run with streamed replies', () => {
  const text = textOf(streamed);

  test.each(['first token', 'first answer', 'effective first', 'gap', 'per token', 'reply tail'])(
    'has a row for %s, unlike a report of non-streamed replies',
    (label) => {
      expect(text).toMatch(new RegExp(`^${label} +\\d`, 'm'));
      expect(textOf(whole)).not.toMatch(new RegExp(`^${label} `, 'm'));
    },
  );

  test('has a line on events, shared reads and tokens, unlike a report of non-streamed replies', () => {
    const { contentEvents, outputTokensPerSecond } = streamed.stream;
    const line = /^stream {4}.*(\n {10}.*)*/m.exec(text)?.[0].replaceAll(/\s+/g, ' ') ?? '';
    expect(line).toContain(`${contentEvents.toLocaleString('en-US')} content events in`);
    expect(line).toContain('arrived in the same read as the previous one');
    expect(outputTokensPerSecond).not.toBeNull();
    expect(text).toMatch(/^output +[\d,.]+ tokens\/s, reported by the service( for [\d,]+ of [\d,]+ ok turns)?$/m);
    expect(textOf(whole)).not.toMatch(/^stream/m);
  });

  test('leads with first tokens, with the limit of a gate next to its figure', () => {
    const { p50Ms, p95Ms } = streamed.latency.firstToken;
    expect(text).toMatch(new RegExp(`^TTFT p50 +${formatMs(p50Ms)}`, 'm'));
    expect(text).toMatch(new RegExp(`^TTFT p95 +${formatMs(p95Ms)}`, 'm'));
    expect(text).toMatch(/^gap +p50 .*p95 /m);
    expect(text).toMatch(/^per token +p50 /m);
    expect(text.indexOf('\nTTFT p50')).toBeLessThan(text.indexOf('\nturn p50'));
    const gate = streamed.gates[0];
    if (gate === undefined) throw new Error('there is no gate');
    const gates = [
      { ...gate, metric: 'firstToken.p95', condition: '< 1s', confident: false, verdict: 'fail' as const },
    ];
    expect(textOf({ ...streamed, gates })).toMatch(/^TTFT p95 +.*; gate < 1s FAILED$/m);
    const { p50Ms: first, ...latency } = { ...streamed.latency.firstToken, p99Ms: null };
    const few = { ...streamed, latency: { ...streamed.latency, firstToken: { ...latency, p50Ms: first } } };
    expect(textOf(few)).toMatch(/^TTFT p95 /m);
    expect(textOf(few)).not.toMatch(/^TTFT p99 /m);
    expect(viewResults([streamed]).sections[0]?.blocks[0]).toMatchObject({
      figures: expect.arrayContaining([expect.objectContaining({ name: 'time to first token p50' })]) as unknown,
    });
  });

  test('omits first answers if there was no reasoning', () => {
    const plain = { ...streamed, stream: { ...streamed.stream, reasoned: 0 } };
    expect(textOf(plain)).not.toMatch(/^first answer/m);
  });

  test('counts users who left apart from failures', () => {
    const { abandoned } = streamed.books.turns;
    expect(text.replaceAll(/\s+/g, ' ')).toContain(
      `${String(abandoned)} abandoned by the user before the reply was complete`,
    );
    expect(/^failures {2}.*(\n {10}.*)*/m.exec(text)?.[0]).not.toContain('abandoned');
  });

  test('names every objective', () => {
    expect(text).toContain('share ok within 3.00 s, first token 800 ms');
  });

  test('has no row for the time per token if the service reports no tokens', () => {
    const { tokenTime } = streamed.latency;
    const none = { ...tokenTime, count: 0, p50Ms: null, p95Ms: null, p99Ms: null, maxMs: null };
    const markdown = renderResultMarkdown({ ...streamed, latency: { ...streamed.latency, tokenTime: none } });
    expect(markdown).toContain('| `gap` |');
    expect(markdown).not.toContain('tokenTime');
  });

  test('has them in Markdown and in the columns of its intervals', () => {
    const markdown = renderResultMarkdown(streamed);
    expect(markdown).toMatch(/^\| `firstToken` +\|/m);
    expect(renderResultMarkdown(whole)).not.toMatch(/firstToken|content events/);
    const [head] = renderIntervalCsv(streamed).split('\n');
    const [wholeHead] = renderIntervalCsv(whole).split('\n');
    expect(head).toBe(
      `${String(wholeHead)},firstTokenOkMeanMs,firstTokenOkMeanErrorMs,firstTokenOkMaxMs,gapOkMeanMs,gapOkMeanErrorMs,gapOkMaxMs`,
    );
  });
});

describe('the page of a streamed run', () => {
  const gate = streamed.gates[0];
  if (gate === undefined) throw new Error('there is no gate');
  const limited = {
    ...gate,
    metric: 'firstToken.p95',
    condition: '< 60ms',
    unit: 'ms' as const,
    limit: 60,
    actual: 80,
    verdict: 'fail' as const,
  };
  const page = viewResults([{ ...streamed, gates: [limited] }]);

  test('leads with the first token, gaps, time per token and tokens per second', () => {
    const names = blocksOf(page, 'figures').flatMap(({ figures }) => figures.map(({ name }) => name));
    expect(names.slice(0, 6)).toEqual([
      'time to first token p50',
      'time to first token p95',
      'gap between events p95',
      'time per output token p95',
      'output tokens per second',
      'turn p50',
    ]);
    expect(figureOf(page, 'time to first token p50').text).toBe(formatMs(streamed.latency.firstToken.p50Ms));
    expect(figureOf(page, 'gap between events p95').detail).toContain(`p50 ${formatMs(streamed.latency.gap.p50Ms)}`);
  });

  test('shows a known percentile and the maximum if there are too few values for the others', () => {
    const firstToken = { ...streamed.latency.firstToken, count: 40, p95Ms: null };
    const short = viewResults([{ ...streamed, latency: { ...streamed.latency, firstToken } }]);
    expect(figureOf(short, 'time to first token p50').text).toBe(formatMs(firstToken.p50Ms));
    expect(figureOf(short, 'time to first token max')).toMatchObject({
      text: formatMs(firstToken.maxMs),
      detail: 'p95 needs 130 replies, has 40',
    });
  });

  test('starts with charts of these series', () => {
    const [overTime] = blocksOf(page, 'percentiles');
    expect(overTime?.chosen.series).toBe('firstToken');
    expect(
      blocksOf(sectionOf(page, 'time'), 'time')
        .map(({ id }) => id)
        .slice(0, 3),
    ).toEqual(
      ['gap-over-time', 'tokenTime-over-time', 'turn-over-time'], // prettier-ignore
    );
    const [curve] = blocksOf(page, 'curve');
    const on = curve?.series.filter(({ isOff }) => isOff !== true).map(({ label }) => label);
    expect([curve?.isLog, on]).toEqual([true, ['time to first token', 'gap between events', 'time per token', 'turn']]);
  });

  test('draw a statistic in the same colour', () => {
    const [overTime] = blocksOf(page, 'percentiles');
    const tones = new Map(overTime?.statistics.map(({ label, tone }) => [label, tone]));
    const series = blocksOf(sectionOf(page, 'time'), 'time')
      .slice(0, 3)
      .flatMap((block) => block.series);
    expect(series.map(({ label, tone }) => [label, tone])).toEqual(
      series.map(({ label }) => [label, tones.get(label)]),
    );
    expect(tones.get('max')).not.toBe(tones.get('p95'));
  });

  test('draws the limit of a gate, and colours its tile', () => {
    const limit = { value: 60, label: 'firstToken.p95 < 60ms' };
    expect(blocksOf(page, 'percentiles')[0]?.limits).toEqual([{ ...limit, column: 'firstToken.p95' }]);
    expect(blocksOf(page, 'curve')[0]?.limits).toEqual([{ ...limit, percentile: 95 }]);
    expect(figureOf(page, 'time to first token p95')).toMatchObject({
      state: 'bad',
      detail: expect.stringContaining('gate < 60ms') as string,
    });
  });

  test('names protocol, model and streaming', () => {
    const target = { ...streamed.target, protocol: 'openai-chat', agentId: 'a-model', stream: true };
    expect(viewResults([{ ...streamed, target }]).facts).toEqual(
      expect.arrayContaining([
        { name: 'protocol', text: 'openai-chat, streaming' },
        { name: 'model', text: 'a-model' },
      ]),
    );
  });
});

describe('a run with streamed replies', () => {
  test('warns if most events arrive several at a time', () => {
    const codes = (result: Result) => result.warnings.map(({ code }) => code);
    expect(codes(streamed)).not.toContain('reads_shared');
    const tallies = run.snapshot.totals.map((tally) => {
      const { gapsOk = 0, gapsFailed = 0 } = tally.counters.streams ?? {};
      const streams = { ...tally.counters.streams, sharedReads: gapsOk + gapsFailed + 1 };
      return { ...tally, counters: { ...tally.counters, streams } };
    });
    expect(codes(resultOf({ ...run, snapshot: { ...run.snapshot, totals: tallies } }))).toContain('reads_shared');
  });

  test('states how many replies arrived in one read, instead of a gap', () => {
    const none = { ...streamed.latency.gap, count: 0, p50Ms: null, p95Ms: null, p99Ms: null, maxMs: null };
    const stream = { ...streamed.stream, sharedReads: 1, severalEvents: 1600, oneRead: 1500, buffered: 1500 };
    const text = textOf({ ...streamed, stream, latency: { ...streamed.latency, gap: none } }).replace(/\s+/g, ' ');
    expect(text).toContain(
      'buffered 1,500 of 1,600 streamed replies with several events arrived in one read: they have no gaps',
    );
    expect(text).not.toContain('gap p50');
  });
});
