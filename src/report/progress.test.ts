import picocolors from 'picocolors';
import { expect, test } from 'vitest';
import { planFor } from '../../test/synthetic-run.ts';
import { instant } from '../base/time.ts';
import { createRecorder } from '../record/recorder.ts';
import { progressBlock, progressLine } from './progress.ts';

const plan = planFor({ name: 'peak', sessions: 40, gates: { 'turn.p95': '< 2s' } });
const live = {
  ...createRecorder({ plan, startedAt: instant(0) }).live(instant(12_000)),
  p95Ms: [100, 200, null, 400],
};
const style = (width: number) => ({ colors: picocolors.createColors(false), width });

test('the live block tells scenario, target, p95 through time, the gates, and what is left', () => {
  const block = progressBlock({ live, plan, restMs: 8000 }, style(80));
  expect(block).toMatch(/^█+░+ 12 s, about 8 s left\n/);
  expect(block).toContain('\nscenario  peak, embedded reference service\n');
  expect(block).toMatch(/\np95 +\S+ ▁▃ ▇\n/);
  expect(block).toMatch(/\ngates +turn\.p95 < 2s, turns\.ok >= 1$/);
});

test.each([10, 20, 41, 80])('is no wider than a terminal of %d columns, whatever the names hold', (width) => {
  const hostile = { ...plan, name: `evil\n${String.fromCharCode(27)}[2J${'long '.repeat(40)}` };
  const lines = progressBlock({ live, plan: hostile, restMs: undefined }, style(width)).split('\n');
  expect(lines).toHaveLength(7);
  expect(lines.filter((line) => line.length > width || line.includes(String.fromCharCode(27)))).toEqual([]);
});

test('what is left is not told before it is known', () => {
  expect(progressLine({ live, plan, restMs: undefined })).not.toContain('left');
  expect(progressLine({ live, plan, restMs: 8000 })).toMatch(/ \| about 8 s left$/);
});
