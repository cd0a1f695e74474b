import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { planFor } from '../../test/support/synthetic-run.ts';
import { instant } from '../base/time.ts';
import { createRecorder } from '../record/recorder.ts';
import { progressBlock, progressLine } from './progress.ts';

const plan = planFor({ name: 'peak', sessions: 40, gates: { 'turn.p95': { gate: '< 2s', confident: true } } });
const live = {
  ...createRecorder({ plan, startedAt: instant(0) }).live(instant(12_000)),
  p95Ms: [100, 200, null, 400],
};
const style = (width: number) => ({ colors: picocolors.createColors(false), width });

test('the live block shows scenario, target, p95 over time, the gates, and the remaining time', () => {
  const block = progressBlock({ live, plan, restMs: 8000, doneShare: 0.6 }, style(80));
  expect(block).toMatch(/^█+░+ 12 s, about 8 s left\n/);
  expect(block).toContain('\nscenario  peak, embedded reference service, chat-messaging\n');
  expect(block).toMatch(/\nturn p95 +\S+ ▁▃ ▇\n/);
  expect(block).toMatch(/\ngates +turn\.p95 < 2s \(confident\), turns\.ok >= 1$/);
});

test.each([10, 20, 41, 80])('is not wider than a terminal of %d columns, whatever the names contain', (width) => {
  const hostile = { ...plan, name: `evil\n${String.fromCharCode(27)}[2J${'long '.repeat(40)}` };
  const lines = progressBlock({ live, plan: hostile, restMs: undefined, doneShare: 0 }, style(width)).split('\n');
  expect(lines).toHaveLength(7);
  expect(lines.filter((line) => line.length > width || line.includes(String.fromCharCode(27)))).toEqual([]);
});

test('a streamed run shows first tokens, gaps and output tokens above turn latency', () => {
  const percentiles = { p50Ms: 310, p95Ms: 820 };
  const lastSecond = { ...live.lastSecond, firstToken: percentiles, gap: { p50Ms: 15, p95Ms: 31 } };
  const streamed = { ...plan, target: { ...plan.target, stream: true } };
  const progress = {
    live: { ...live, lastSecond, outputTokens: 6144 },
    plan: streamed,
    restMs: undefined,
    doneShare: 0,
  };
  expect(progressBlock(progress, style(80))).toMatch(
    /streaming\nTTFT {6}p50 310 ms, p95 820 ms; 512 output tokens\/s on average\ngap {7}p50 15.0 ms, p95 31.0 ms; per token p50 -, p95 -\nsessions/,
  );
  expect(progressLine(progress)).toContain(' | TTFT p50 310 ms, p95 820 ms | turn p50 ');
});

test('the time left is not shown before it is known', () => {
  expect(progressLine({ live, plan, restMs: undefined, doneShare: 0 })).not.toContain('left');
  expect(progressLine({ live, plan, restMs: 8000, doneShare: 0.6 })).toMatch(/ \| about 8 s left$/);
  expect(progressLine({ live, plan, restMs: 400, doneShare: 0.99 })).not.toContain('left');
});

test('during an outage, sessions that were not created do not count as done, and failed creations are shown', () => {
  const refused = { ...live, sessionsDone: 30, sessionsLive: 3, sessionsNotCreated: 28, failedCreations: 112 };
  const progress = { live: refused, plan, restMs: undefined, doneShare: 0 };
  const text = '28 not created (112 attempts to create failed)';
  expect(progressBlock(progress, style(80))).toContain(`\nsessions  3 live, 2 of 40 done, ${text}\n`);
  expect(progressLine(progress)).toContain(` | sessions 2/40 done, 3 live, ${text} | `);
  const retried = { ...progress, live: { ...refused, sessionsDone: 2, sessionsNotCreated: 0 } };
  expect(progressLine(retried)).toContain(' | sessions 2/40 done, 3 live, 112 attempts to create failed | ');
  expect(progressLine({ live, plan, restMs: undefined, doneShare: 0 })).not.toContain('creat');
});

test('no rate and no percentile is shown before a second is over', () => {
  const first = { live: { ...live, p95Ms: [], turnsInFlight: 4 }, plan, restMs: undefined, doneShare: 0 };
  expect(progressBlock(first, style(80))).toContain('\nturns     4 in flight\nturn p95\noutcomes');
  expect(progressLine(first)).toMatch(/ live \| ok 0$/);
});
