import { renderResult, renderResultMarkdown } from '../../../test/support/render-outline.ts';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { finishedRun, healthy, resultOf } from '../../../test/support/synthetic-result.ts';
import type { Result } from '../../result/result.ts';
import { renderIntervalCsv } from './interval-files.ts';

const style = { colors: picocolors.createColors(false), width: 80 };
const run = finishedRun({ sessions: 600, objective: { turn: '3s', firstToken: '800ms' } }, { isStreamed: true });
const streamed = resultOf(run);
const whole = resultOf(finishedRun({ sessions: 600 }));
const textOf = (result: Result): string => renderResult(result, style);

describe('the report of a run with replies in pieces', () => {
  const text = textOf(streamed);

  test.each(['first token', 'first answer', 'effective first', 'gap', 'per token', 'reply tail'])(
    'has a row for %s, which that of whole replies has not',
    (label) => {
      expect(text).toMatch(new RegExp(`^${label} +\\d`, 'm'));
      expect(textOf(whole)).not.toMatch(new RegExp(`^${label} `, 'm'));
    },
  );

  test('has a line on events, shared reads and tokens, which that of whole replies has not', () => {
    const { contentEvents, outputTokensPerSecond } = streamed.stream;
    const line = /^stream {4}.*(\n {10}.*)*/m.exec(text)?.[0].replaceAll(/\s+/g, ' ') ?? '';
    expect(line).toContain(`${contentEvents.toLocaleString('en-US')} content events in`);
    expect(line).toContain('in shared reads');
    expect(line).toMatch(/[\d,.]+ output tokens\/s( \(told by [\d,]+ of [\d,]+ ok turns\))?$/);
    expect(outputTokensPerSecond).not.toBeNull();
    expect(textOf(whole)).not.toMatch(/^stream/m);
  });

  test('leaves out first answers where there was no reasoning', () => {
    const plain = { ...streamed, stream: { ...streamed.stream, reasoned: 0 } };
    expect(textOf(plain)).not.toMatch(/^first answer/m);
  });

  test('counts users who left apart from failures', () => {
    const { abandoned } = streamed.books.turns;
    expect(text.replaceAll(/\s+/g, ' ')).toContain(`${String(abandoned)} left before the reply was complete`);
    expect(/^failures {2}.*(\n {10}.*)*/m.exec(text)?.[0]).not.toContain('abandoned');
  });

  test('names every objective', () => {
    expect(text).toContain('share ok within 3.00 s, first token 800 ms');
  });

  test('has them in Markdown and in the columns of its intervals', () => {
    const markdown = renderResultMarkdown(streamed);
    expect(markdown).toMatch(/^\| `firstToken` +\|/m);
    expect(renderResultMarkdown(whole)).not.toMatch(/firstToken|content events/);
    const [head] = renderIntervalCsv(streamed).split('\n');
    const [wholeHead] = renderIntervalCsv(whole).split('\n');
    expect(head).toBe(`${String(wholeHead)},firstTokenOkMeanMs,firstTokenOkMaxMs,gapOkMeanMs,gapOkMaxMs`);
  });
});

describe('a run with replies in pieces', () => {
  test('warns of reads that bring most events several at a time', () => {
    const codes = (result: Result) => result.warnings.map(({ code }) => code);
    expect(codes(streamed)).not.toContain('reads_shared');
    const tallies = run.snapshot.totals.map((tally) => {
      const { gapsOk = 0, gapsFailed = 0 } = tally.counters.streams ?? {};
      const streams = { ...tally.counters.streams, sharedReads: gapsOk + gapsFailed };
      return { ...tally, counters: { ...tally.counters, streams } };
    });
    expect(codes(resultOf({ ...run, snapshot: { ...run.snapshot, totals: tallies } }))).toContain('reads_shared');
  });

  const allowedMs = 0.2 * (streamed.latency.gap.meanMs ?? 0);

  test.each([
    [allowedMs - 0.1, []],
    [allowedMs + 0.1, ['instants_late']],
    [51, ['event_loop_delayed']],
  ])('is degraded when its event loop was later than a fifth of its mean gap: %d ms, %j', (delayMs, expected) => {
    const generator = { ...healthy, eventLoopDelayP99Ms: delayMs };
    const ofLoop = (result: Result) =>
      result.validity.reasons.map(({ code }) => code).filter((code) => /^(instants|event_loop|too_short)/.test(code));
    expect(allowedMs).toBeGreaterThan(2);
    expect(ofLoop(resultOf(run, { generator }))).toEqual(expected);
    const withWhole = resultOf(finishedRun({ sessions: 600 }), { generator });
    expect(ofLoop(withWhole)).toEqual(expected.filter((code) => code !== 'instants_late'));
  });
});
