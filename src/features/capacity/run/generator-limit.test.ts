import { describe, expect, test } from 'vitest';
import { storedOf } from '../../../../test/support/release-run.ts';
import { finishedRun, healthy } from '../../../../test/support/synthetic-result.ts';
import { readObjectives } from '../judge/objective.ts';
import { doubtfulObjective, type GeneratorPart, affects, figuresOf, generatorLimit } from './generator-limit.ts';

test.each([
  ['turns_late', true],
  ['event_loop_late', true],
  ['event_loop_busy', true],
  ['figures_doubtful', false],
  ['clock_jumped', false],
])('a step with %s is not evidence: %s', (code, expected) => {
  expect(affects({ code })).toBe(expected);
});

const { plan, snapshot } = finishedRun();

/** The snapshot of a step whose generator read one reply in five `delayMs` late. */
function readLate(delayMs: number): typeof snapshot {
  const values = Array.from({ length: 200 }, (_, at) => (at % 5 === 0 ? Math.max(10, delayMs * 1000) : 10));
  const { count, hdr } = storedOf(values);
  const sumUs = values.reduce((sum, value) => sum + value, 0);
  const readDelay = { count, sumUs, minUs: Math.min(...values), maxUs: Math.max(...values), clamped: 0, hdr };
  const totals = snapshot.totals.map((each) => ({ ...each, series: { ...each.series, readDelay } }));
  return { ...snapshot, totals };
}

const p95Ms = figuresOf(plan, snapshot).turnP95Ms ?? NaN;

function stepWith(condition: string, delayMs: number): GeneratorPart {
  const read = readObjectives([condition]);
  if ('problems' in read && read.problems !== undefined) throw new Error(read.problems.join());
  const judged = readLate(delayMs);
  const window = { fromMs: 0, toMs: snapshot.elapsedMs };
  const { objectives } = read;
  return { plan, whole: judged, judged, window, health: healthy, samples: [], cores: 1, workers: null, objectives };
}

const atMost = (share: number): string => `turn.p95 < ${String(Math.round(p95Ms * share))}ms`;
const delayMs = p95Ms / 8;

test('the figures of a step have measurement errors, if the delay was measured', () => {
  expect(figuresOf(plan, readLate(delayMs)).turnP95ErrorMs).toBeGreaterThan(delayMs / 2);
  expect(figuresOf(plan, snapshot).turnP95ErrorMs).toBeNull();
});

describe('a step whose objective fails', () => {
  test('by the measurement error alone is no evidence, and the message states the error', () => {
    const step = stepWith(atMost(0.9), delayMs);
    expect(doubtfulObjective(step)).toMatch(
      /^the generator read replies late: turn\.p95 \(.+\) may be up to .+ too high$/,
    );
    expect(generatorLimit(step)?.message).toBe(doubtfulObjective(step));
    expect(generatorLimit(step)?.remedy).not.toBe('');
  });

  test.each([
    ['by more than the error', atMost(0.2), delayMs],
    ['with a negligible error', atMost(0.9), 0.1],
    ['but for an error within 5 % of the figure', atMost(0.99), p95Ms / 100],
    ['no longer: it is met in spite of the error', atMost(1.1), delayMs],
    ['on a figure without an error', 'turns.failedShare < 0.001%', delayMs],
  ])('%s is evidence', (_, condition, late) => {
    expect(doubtfulObjective(stepWith(condition, late))).toBeUndefined();
  });
});
