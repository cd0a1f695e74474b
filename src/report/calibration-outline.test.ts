import { describe, expect, test } from 'vitest';
import { climb } from '../../test/support/climb.ts';
import { calibrationDocument } from '../../test/support/measured-documents.ts';
import { written } from '../../test/support/render-outline.ts';
import type { CalibrationDocument, MeasuredTarget } from '../calibrate/calibration-document.ts';
import { ceilingOf, type CeilingEnd, type CeilingStep } from '../calibrate/target-ceiling.ts';
import { calibrationReport } from './calibration-outline.ts';

interface Parts {
  end?: CeilingEnd;
  step?: Partial<CeilingStep>;
  target?: Partial<MeasuredTarget>;
  over?: Partial<CalibrationDocument>;
  width?: number;
}

function rendered(rates: readonly number[], { end = 'no_growth', step, target, over, width = 80 }: Parts = {}): string {
  const steps = climb(rates, step);
  const ceiling = ceilingOf(steps, end) ?? null;
  const measured = { ...calibrationDocument.target, scenario: null, steps, end, ceiling, warnings: [], ...target };
  const document = { ...calibrationDocument, target: measured, limit: null, ...over };
  const text = written(calibrationReport, document, { width });
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
  return text.replace(/\s+/g, ' ');
}

describe('a rendered calibration', () => {
  test('states how much the machine can send, and the target can take', () => {
    const text = rendered([100, 200, 400, 400, 400]);
    expect(text).toContain('MACHINE can send 50,000 turns/s with one core, 20.0 µs of CPU time per turn');
    expect(text).toContain('TARGET took 400 turns/s at 4 connections: more connections hardly add to it');
    expect(text).not.toContain('LOAD');
  });

  test.each([
    ['target', 'The target is the limit.'],
    ['machine', 'One core of this machine is the limit'],
    ['neither', 'It is near neither.'],
    ['unknown', 'at least three quarters of the highest rate that was tried; the limit of the target is unknown.'],
  ] as const)('states for a scenario which of both it is near: %s', (limit, words) => {
    const text = rendered([100, 400], { target: { scenario: 'peak', plannedPerSecond: 100 }, over: { limit } });
    expect(text).toContain('peak needs up to 100 turns/s if replies take as long as on one connection');
    expect(text).toContain("25.0 % of the target's measured rate, 0.20 % of this machine's.");
    expect(text).toContain(words);
  });

  test('states that a scenario without think time has no rate of its own', () => {
    const target = { scenario: 'peak', plannedPerSecond: null };
    expect(rendered([100, 400], { target, over: { limit: 'target' } })).toContain('sends as fast as replies arrive');
  });

  test.each<[CeilingEnd, string]>([
    ['most_connections', '--max-connections'],
    ['turns_spent', '--max-turns'],
    ['sessions_refused', 'no more sessions could be created'],
    ['connections_closed', 'the target closed connections'],
  ])('states "at least" if the end was not reached: %s', (end, words) => {
    const text = rendered([100, 200, 400], { end });
    expect(text).toContain('took at least 400 turns/s at 4 connections');
    expect(text).toContain(words);
  });

  test('states "at least" if this process had no CPU time left', () => {
    const text = rendered([40_000, 40_000, 40_000], { step: { cpuShare: 0.98 } });
    expect(text).toContain('at least 40,000 turns/s at 1 connection: autocannon had no CPU time left');
  });

  test('shows failures and warnings, without control characters', () => {
    const warnings = [{ code: 'x', message: 'status 502\u001b[2J', remedy: 'Look.' }];
    const text = rendered([9], { step: { ok: 90, classes: { ok: 90, server_error: 10 } }, target: { warnings } });
    expect(text).toContain('10.0 % server_error');
    expect(text).toContain('warning status 502');
    expect(text).not.toContain('\u001b');
  });

  test('states that nothing was measured', () => {
    expect(rendered([], { end: 'sessions_refused' })).toContain('TARGET unknown: no turn was ok');
  });

  test('shows the measurement error only of a calibration that it made', () => {
    expect(rendered([9])).toContain('Measurement error of this machine');
    const text = rendered([9], { over: { startedAt: '2026-02-01T00:00:00.000Z' } });
    expect(text).not.toContain('Measurement error');
    expect(text).toContain('as calibrated on 2026-01-31');
  });
});
