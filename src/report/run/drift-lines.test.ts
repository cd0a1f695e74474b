import pc from 'picocolors';
import { expect, test } from 'vitest';
import { driftOf } from '../../../test/support/drifting-run.ts';
import { readGate } from '../../result/gates/gates.ts';
import { writeTerminal } from '../outline/write-terminal.ts';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import type { Result } from '../../result/result.ts';
import { driftSection } from './drift-section.ts';
import { showText } from './shown-run.ts';

const style = { colors: pc.createColors(false), width: 80 };
const run = resultOf(finishedRun());
const told = (drift: Result['drift']): string => writeTerminal([driftSection(showText({ ...run, drift }))], style);
const words = (text: string): string => text.replace(/\s+/g, ' ');

test('a trend is described with its interval, its two ends and when a limit is crossed', () => {
  const read = readGate('turn.p95', '< 600ms');
  const gates = 'ok' in read ? [read.ok] : [];
  const text = told(driftOf({ seed: 5, memory: 0.5, slowness: (hours) => 1.03 ** hours }, { gates }));
  expect(words(text)).toMatch(
    /turn\.p95 grew \d\.\d+ %\/h \(95 % interval \d\.\d+ to \d\.\d+\): \d+ ms in the first hour, \d+ ms in the last; at this rate the gate turn\.p95 < 600ms is crossed in \d+h \d+m/,
  );
  expect(words(text)).toMatch(/rates\.turnsPerSecond fell \d\.\d+ %\/h/);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('a step and a sawtooth are described as such', () => {
  const step = told(driftOf({ seed: 6, memory: 0.6, slowness: (hours) => (hours < 5 ? 1 : 1.3) }));
  expect(words(step)).toMatch(/turn\.p50 shifted [45]h \d+m after the start: \+\d\d\.\d %/);
  const slowness = (hours: number): number => 1 + 0.4 * (hours % 1);
  const teeth = told(driftOf({ seed: 7, memory: 0.3, noise: 0.01, turnsPerInterval: 200, slowness }));
  expect(words(teeth)).toMatch(
    /turn\.mean grew slowly and fell suddenly, by \d+\.\d %, 7 times, about every (59m|1h 0)/,
  );
});

test('one line states that there is no drift, and a short run has no line', () => {
  expect(told(driftOf({ seed: 14, memory: 0.5 }))).toBe('DRIFT     none in 8h 00m');
  expect(told(driftOf({ seed: 14, memory: 0.5, intervals: 200, intervalMs: 1000 }))).toBe('');
});

test("the generator's own growth is named", () => {
  const generator = (hours: number) => ({
    rssBytes: 100e6 + 20e6 * hours,
    heapBytes: 40e6,
    eventLoopDelayP99Ms: 2,
    cpuShare: 0.2,
  });
  expect(words(told(driftOf({ seed: 9, memory: 0.5, generator })))).toMatch(
    /^DRIFT the generator's memory grew (1[5-9]|2\d)\.\d %\/h .*: 110 MB in the first hour, 250 MB in the last$/,
  );
});
