import { describe, expect, test } from 'vitest';
import { listable } from '../../../../test/support/results-folder.ts';
import { newestFirst, viewRow, viewUnreadable } from './view-row.ts';

const place = { id: 'an-id', folder: 0, file: 'peak.json' };
const result = listable({ label: 'v1', commit: '0123456789abcdef', startedAt: '2026-01-31T14:25:30.000Z' });

describe('the row of a result', () => {
  test('identifies the run and has the first figures of the terminal', () => {
    const { p95Ms } = result.latency.turn;
    const row = viewRow(place, result);
    expect(row).toMatchObject({ scenario: 'peak', label: 'v1', commit: '0123456789', at: result.run.startedAt });
    expect(row.figures.turn).toContain(String(Math.round(p95Ms ?? 0)).slice(0, 2));
    expect(row.figures.failed).toMatch(/ %$/);
    expect(row.figures.rate).toMatch(/\/s$/);
  });

  test('has the verdict of the terminal, with its reason', () => {
    const [gate] = result.gates;
    if (gate === undefined) throw new Error('there is no gate');
    const failed = { ...result, gates: [{ ...gate, verdict: 'fail' as const, actual: 0 }] };
    expect(viewRow(place, failed)).toMatchObject({ verdict: 'FAILED', reason: expect.stringContaining(gate.metric) });
    const invalid = { ...result, validity: { verdict: 'invalid' as const, reasons: [] } };
    expect(viewRow(place, invalid)).toMatchObject({ verdict: 'INVALID' });
  });

  test('is degraded like its passed run, with one reason; a failed one stays failed', () => {
    const reason = {
      severity: 'degraded' as const,
      code: 'generator_saturated',
      blame: 'generator' as const,
      message: 'The generator was slow',
      remedy: 'Offer less.',
    };
    const noFailures = (name: string, value: unknown) => (typeof value === 'number' && name !== 'ok' ? 0 : value);
    const { outcomes, books } = result;
    const whole = JSON.parse(JSON.stringify({ outcomes, books }, noFailures)) as Pick<
      typeof result,
      'outcomes' | 'books'
    >;
    const degraded = { ...result, ...whole, gates: [], validity: { verdict: 'degraded' as const, reasons: [reason] } };
    expect(viewRow(place, degraded)).toMatchObject({ verdict: 'DEGRADED', reason: 'The generator was slow' });
    const recovered = { ...degraded, run: { ...result.run, status: 'recovered' as const } };
    expect(viewRow(place, recovered).reason).toBe('recovered from a journal; The generator was slow');
    const gates = result.gates.slice(0, 1).map((gate) => ({ ...gate, verdict: 'fail' as const, actual: 0 }));
    expect(viewRow(place, { ...degraded, gates })).toMatchObject({ verdict: 'FAILED' });
  });

  test('marks a recovered run as incomplete', () => {
    const passing = { ...result, gates: [], validity: { verdict: 'valid' as const, reasons: [] } };
    expect(viewRow(place, passing).verdict).toBe('PASSED');
    const recovered = { ...passing, run: { ...result.run, status: 'recovered' as const } };
    expect(viewRow(place, recovered).reason).toMatch(/^recovered from a journal/);
  });

  test('has a dash for a missing figure', () => {
    const turns = { ...result.outcomes.turns };
    for (const name of Object.keys(turns) as (keyof typeof turns)[]) turns[name] = 0;
    const empty = { count: 0, maxMs: null, p50Ms: null, p95Ms: null, errorMs: null };
    const none = {
      ...result,
      outcomes: { ...result.outcomes, turns },
      latency: { turn: empty, firstToken: empty },
      rates: { turnsPerSecond: null },
    };
    expect(viewRow(place, none).figures).toEqual({ firstToken: '-', turn: '-', failed: '-', rate: '-' });
  });

  test('has the median of a run that is too short for its p95', () => {
    const latency = {
      turn: { count: 40, maxMs: 200, p50Ms: 120, p95Ms: null, errorMs: null },
      firstToken: { count: 140, maxMs: 100, p50Ms: 40, p95Ms: 90, errorMs: null },
    };
    expect(viewRow(place, { ...result, latency }).figures).toMatchObject({ turn: 'p50 120 ms', firstToken: '90.0 ms' });
    const few = { ...latency, turn: { ...latency.turn, count: 4, p50Ms: null } };
    expect(viewRow(place, { ...result, latency: few }).figures.turn).toBe('max 200 ms');
  });
});

test('an unreadable file is a row with its error', () => {
  const row = viewUnreadable(place, { problem: 'is empty', hint: 'Omit it.' }, '2026-02-01T00:00:00.000Z');
  expect(row).toMatchObject({ verdict: 'UNREADABLE', reason: 'peak.json is empty. Omit it.' });
});

test('rows are the newest first; of one instant, by file', () => {
  const rowAt = (at: string, file: string) => ({ ...viewRow(place, result), at, file });
  const rows = [
    rowAt('2026-01-01T00:00:00.000Z', 'old'),
    rowAt('2026-01-02T00:00:00.000Z', 'b'),
    rowAt('2026-01-02T00:00:00Z', 'a'),
  ];
  expect(newestFirst(rows).map(({ file }) => file)).toEqual(['a', 'b', 'old']);
});
