import { expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { foreseeComparison } from '../../compare/outlook.ts';
import { forecast } from '../../plan/forecast.ts';
import { resolveScenario } from '../../plan/resolve-scenario.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { outlookRows } from '../plan/outlook-text.ts';

function textOf(scenario: Partial<Scenario>): string {
  const { plan, script } = resolveScenario({ name: 'x', messages: ['a'], ...scenario }, { flags: {}, environment: {} });
  const outlook = foreseeComparison(plan, forecast(plan, script, ms(500)));
  return outlookRows(outlook)
    .map(([name, text]) => `${name.padEnd(12)}${text}`)
    .join('\n');
}

test('a plan lists the metrics that a comparison of such runs can and cannot decide, and the data needed', () => {
  expect(textOf({ sessions: 440, turns: 5, load: { concurrency: 20 } }).split('\n')).toEqual([
    'detects     turn.ok.p50, turn.ok.mean, turns.failedShare, sessions.createFailedShare, turns.unansweredShare, ' +
      'sessionCreate.p50, sessionCreate.mean, rates.turnsPerSecond, retries.amplification',
    '            turns.failedShare from 0.10 pp on, with five runs per side',
    '            sessions.createFailedShare from 0.51 pp on, with five runs per side',
    'needs more  turn.ok.p99, attempt.ok.p99: 10,000 turns per run, 4.55 times the planned 2,200',
    '            sessionCreate.p95: 2,000 sessions per run, 4.55 times the planned 440',
  ]);
});

test('a plan of open load and little time states that the rate is fixed, and that one run is too few', () => {
  const text = textOf({ duration: '10s', load: { sessionsPerSecond: 1200 } });
  expect(text).toContain('no verdict  rates.turnsPerSecond: under open load the rate is fixed');
  expect(text).toMatch(/\nruns {8}at least three per side, because less than 12 s are measured$/);
});

test('a plan shows the compared part of a run, unless it is the whole run', () => {
  const text = textOf({ duration: '30s', warmUp: '5s', turns: 4, load: { sessionsPerSecond: 10 } });
  expect(text).toMatch(
    /^window {6}25\.0 s of each run, without warm-up and drain: about [\d,]+ turns, 250 sessions\ndetects /,
  );
});

test('a plan of very few turns lists the data needed for each metric', () => {
  const text = textOf({ sessions: 50, turns: 2, load: { concurrency: 20 } });
  expect(text).toMatch(/turn\.ok\.p50.*: 200 turns per run, 2 times the planned 100\n/);
  expect(text).toContain('attempt.ok.p99: 10,000 turns per run, 100 times the planned 100');
});

test('a plan without a whole second before the drain can decide nothing', () => {
  const text = textOf({ duration: '900ms', load: { concurrency: 5 } });
  expect(text).toMatch(/^detects {5}nothing$/m);
  expect(text).toMatch(/turn\.ok\.mean, turns\.failedShare.*: 1 turn per run; this plan has none$/m);
});
