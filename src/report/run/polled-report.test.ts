import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { renderResult, renderResultMarkdown } from '../../../test/support/render-outline.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { ms } from '../../base/time.ts';
import { percentiles } from '../../result/percentiles/percentiles.ts';
import type { Result } from '../../result/result.ts';
import { accuracyText } from './accuracy-text.ts';
import { viewResults } from './result-outline.ts';

const style = { colors: picocolors.createColors(false), width: 100 };
const run = finishedRun({ sessions: 600, gates: { 'turn.p95': '< 60s', 'firstByte.p50': '< 60s' } });

function polledEvery(pollEveryMs: number): Result {
  const { plan } = run;
  return resultOf({ ...run, plan: { ...plan, target: { ...plan.target, polls: true, pollEveryMs: ms(pollEveryMs) } } });
}

const unpolled = resultOf(run);
const polled = polledEvery(20);

describe('a run whose replies are polled', () => {
  test('publishes the resolution for the series that end with a reply, with the same exact figures', () => {
    expect([polled.latency.resolutionMs, unpolled.latency.resolutionMs]).toEqual([20, null]);
    const { turn, effective, attempt, firstByte, connect } = polled.latency;
    const marked = [turn, turn.ok, turn.failed, turn.adjusted, effective, attempt, polled.positions[0]];
    expect(marked.map((each) => each?.resolutionMs)).toEqual(marked.map(() => 20));
    expect([firstByte.resolutionMs, connect.resolutionMs]).toEqual([undefined, undefined]);
    for (const { key } of percentiles) expect(turn[key]).toBe(unpolled.latency.turn[key]);
  });

  test('prints no percentile of them finer, and states the resolution once in the head', () => {
    const text = renderResult(polled, style);
    expect(text.match(/^(?:polls|measured) .*/gm)).toEqual([
      'measured  within 20 ms (turn p50, turn p95: replies are polled every 20 ms; shorten',
    ]);
    const cells = /^turn {2,}[\d,]+ (.*)$/m.exec(text)?.[1]?.match(/[\d.]+ m?s/g) ?? [];
    expect(cells.length).toBeGreaterThan(3);
    for (const cell of cells.filter((each) => each.endsWith(' ms'))) expect(Number.parseFloat(cell) % 20).toBe(0);
  });

  test('prints gates with the resolution', () => {
    const text = renderResult(polledEvery(100), style);
    const [, atGate = ''] = /turn\.p95 +< 60s +([\d.]+ m?s) ± 100 ms/.exec(text) ?? [];
    expect(/^turn p95 +([\d.]+ m?s)/m.exec(text)?.[1]).toBe(atGate);
    expect(renderResult(polledEvery(60_000), style)).toMatch(/turn\.p95 +< 60s +<1m 00s\n/);
    expect(renderResult(polled, style)).not.toMatch(/firstByte\.p50 .*±/);
  });

  test('judges gates by the figures that it prints', () => {
    const exact = unpolled.latency.turn.p95Ms ?? 0;
    // A resolution by which the exact figure is rounded down, and a limit between the two.
    const every = exact / 2.3;
    const limit = `< ${String(Math.floor(exact * 0.95))}ms`;
    const { plan } = run;
    const gates = { 'turn.p95': limit };
    const judged = (pollEveryMs?: number) =>
      resultOf({
        ...run,
        plan: {
          ...plan,
          gates,
          target: { ...plan.target, polls: true, ...(pollEveryMs && { pollEveryMs: ms(pollEveryMs) }) },
        },
      }).gates.find(({ metric }) => metric === 'turn.p95');
    expect(judged()).toMatchObject({ verdict: 'fail', actual: exact });
    expect(judged(every)).toMatchObject({ verdict: 'pass', actual: 2 * every });
  });

  test.each([
    ['Markdown', (result: Result) => renderResultMarkdown(result)],
    ['the page', (result: Result) => JSON.stringify(viewResults([result]))],
    ['JUnit', (result: Result) => accuracyText(result)],
  ])('states the resolution in %s', (_, render) => {
    expect(render(polled).split('replies are polled every 20 ms').length).toBe(2);
    expect(render(unpolled)).not.toContain('replies are polled');
  });

  test('is as valid as another run: the resolution makes no figure doubtful', () => {
    expect(polledEvery(60_000).validity).toEqual(unpolled.validity);
  });
});
