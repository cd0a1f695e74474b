import { expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { foreseeComparison } from '../../compare/outlook.ts';
import { forecast } from '../../plan/forecast.ts';
import { settle } from '../../plan/settle.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { outlookText } from '../plan/outlook-words.ts';

function textOf(scenario: Partial<Scenario>): string {
  const { plan, script } = settle({ name: 'x', messages: ['a'], ...scenario }, { flags: {}, environment: {} });
  const outlook = foreseeComparison(plan, forecast(plan, script, ms(500)));
  return outlookText(outlook);
}

test('a plan explains which metrics a comparison of such runs can decide, and the number of runs for the others', () => {
  expect(textOf({ sessions: 440, turns: 5, load: { concurrency: 20 } })).toBe(
    'A comparison of two such runs can detect changes in: turn.ok.p50, turn.ok.mean, turns.failedShare (0.10 pp or more, with five ' +
      'runs per side), sessions.createFailedShare (0.51 pp or more, with five runs per side), turns.unansweredShare, sessionCreate.p50, ' +
      'sessionCreate.mean, rates.turnsPerSecond, retries.amplification. Not enough data for: turn.ok.p99, attempt.ok.p99 ' +
      '(needs 10,000 turns per run, 4.55 times as many; this plan has about 2,200); sessionCreate.p95 (needs 2,000 sessions ' +
      'per run, 4.55 times as many; this plan has about 440).',
  );
});

test('a plan of open load and little time states that the rate is given, and that one run is too few', () => {
  const text = textOf({ duration: '10s', load: { sessionsPerSecond: 1200 } });
  expect(text).toContain('Not enough data for: rates.turnsPerSecond (the load is open: its rate is fixed)');
  expect(text).toMatch(/With less than 12 s of measured time, a comparison needs at least three runs per side\.$/);
});

test('a plan explains how much of a run is compared, if that is not all of it', () => {
  const text = textOf({ duration: '30s', warmUp: '5s', turns: 4, load: { sessionsPerSecond: 10 } });
  expect(text).toMatch(
    /^A comparison uses only the measured window \(no warm-up, no drain\): 25\.0 s of a run, with about [\d,]+ turns and 250 sessions\. It can detect changes in: /,
  );
});

test('a plan of very few turns states for each metric the required number of runs', () => {
  const text = textOf({ sessions: 50, turns: 2, load: { concurrency: 20 } });
  expect(text).toContain(
    'turn.ok.p50 (needs 200 turns per run, 2 times as many; this plan has about 100); turn.ok.p99',
  );
  expect(text).toContain('attempt.ok.p99 (needs 10,000 turns per run, 100 times as many; this plan has about 100)');
});

test('a plan without a whole second before the drain can decide nothing', () => {
  expect(textOf({ duration: '900ms', load: { concurrency: 5 } })).toMatch(
    /It can detect changes in: nothing\. Not enough data for: .*turn\.ok\.mean, turns\.failedShare.* \(needs 1 turn per run; this plan has about 0\)/,
  );
});
