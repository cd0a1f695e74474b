import { renderComparison } from '../../../test/support/render-outline.ts';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import {
  confirmed,
  forced,
  inconclusive,
  notComparable,
  notConfirmed,
  oneRun,
  regressed,
  unchanged,
} from '../../../test/support/synthetic-comparison.ts';
import { changed, familyOf } from '../../../test/support/synthetic-metrics.ts';
import type { Comparison } from '../../compare/document/comparison.ts';

const render = (comparison: Comparison, width = 80): string =>
  renderComparison(comparison, { colors: picocolors.createColors(false), width });

const whereOf = ({ localization: where }: Comparison): NonNullable<Comparison['localization']> => {
  if (where === null) throw new Error('nothing was compared');
  return where;
};

const [anyMetric] = regressed.metrics;
const withCalls = (head: number): Comparison => {
  if (anyMetric === undefined) throw new Error('no metric');
  const change = head / 2 - 1;
  const calls = {
    ...anyMetric,
    name: 'model.callsPerTurn',
    unit: 'count',
    isGated: false,
    base: 2,
    head,
    change,
  } as const;
  return { ...regressed, metrics: [...regressed.metrics, { ...calls, margin: 0.05 }] };
};

describe('a comparison of agents with a model service', () => {
  test('shows the model calls per turn if they changed beyond the margin', () => {
    expect(render(withCalls(3))).toMatch(/^INSIDE A TURN .*\nmodel\.callsPerTurn +2\S* +3\S* +\+50\.0 %/m);
  });

  test('shows none that did not change', () => {
    expect(render(withCalls(2.02))).not.toContain('INSIDE A TURN');
  });
});

describe('a comparison on a terminal', () => {
  test('reads like this', () => {
    expect(render(regressed)).toMatchInlineSnapshot(`
      "REGRESSED  turn.ok.p99 +52.9 %, attempt.ok.p99 +148 %.

      scenario  peak
      base      v1.4.2, 5 runs, 2026-11-20 02:00 to 02:40 UTC
      head      v1.5.0, 5 runs, 2026-11-20 02:05 to 02:45 UTC
      target    https://agent.example.com
      design    5 interleaved pairs; noise from runs and history (63 runs in 21
                batches, 2026-10-28 to 2026-11-19); false discovery rate 5 %

      METRIC                    base     head    change  95 % interval  margin       p
      REGRESSED
      attempt.ok.p99          476 ms   1.18 s    +148 %     130 to 167    10 %  <0.001
      turn.ok.p99             1.21 s   1.85 s   +52.9 %   44.1 to 62.2    10 %  <0.001
      INCONCLUSIVE
      sessionCreate.p99      2.35 ms  2.52 ms    +7.1 %   −9.3 to 26.5    10 %   0.490
      UNCHANGED
      turn.ok.mean            251 ms   259 ms    +3.1 %     1.2 to 4.8     5 %   0.006
      turns.failedShare       0.32 %   0.33 %  +0.01 pp  −0.04 to 0.06  0.1 pp   0.700
      turn.ok.p50             204 ms   205 ms    +0.4 %    −1.2 to 2.0     5 %   0.610
      retries.amplification    1.030    1.031    +0.1 %    −0.2 to 0.4     2 %   0.480
      rates.turnsPerSecond    68.2/s   68.1/s    −0.1 %    −0.6 to 0.4     3 %   0.660
      p is adjusted for 8 metrics; intervals are not. pp: percentage points.

      note      turn.ok.mean: changed, but within the margin

      UNDECIDED          detectable  reason, and data needed
      sessionCreate.p99      25.1 %  too noisy to show whether there is a change
                                     beyond the margin; 12 pairs would show a change
                                     of 10 % (now 5); longer runs would not help
      Detectable: smallest change that four of five such comparisons detect.

      WHERE     The tail moved and the middle did not: turns are slower from p95
                upwards.

      TURN LATENCY    base    head   change  95 % interval  slower █ faster ░
      p50           204 ms  205 ms   +0.4 %    −1.2 to 2.0
      p75           281 ms  283 ms   +0.6 %    −1.1 to 2.3
      p90           355 ms  362 ms   +2.1 %    −0.4 to 4.7
      p95           422 ms  499 ms  +18.2 %   14.1 to 22.4  ██
      p99           1.21 s  1.85 s  +52.9 %   44.1 to 62.2  ██████
      p99.9         1.71 s  4.99 s   +192 %     150 to 241  ████████████████████

      BY POSITION    base    head   change  95 % interval  slower █ faster ░
      turn 1       213 ms  214 ms   +0.4 %    −1.2 to 2.0
      turn 2       202 ms  203 ms   +0.4 %    −1.2 to 2.0
      turn 3-4     203 ms  205 ms   +1.1 %    −2.0 to 4.0  █
      turn 5-8     202 ms  245 ms  +21.3 %   17.0 to 26.0  ████████████████████

      NEW ERRORS             base  head
      provider_rate_limited     0    48

      ALSO MOVED                             base   head   change 95 % interval
      turn.ok.p99.9                        1.71 s 4.99 s   +192 %    150 to 241 worse
      outcomes.provider_rate_limited.share    0 % 0.21 % +0.21 pp  0.14 to 0.30 worse
      position.1.p50                       355 ms 462 ms  +30.0 %  20.0 to 40.0 worse
      position.1.p99                       355 ms 462 ms  +30.0 %  20.0 to 40.0 worse
      position.2.p50                       355 ms 454 ms  +28.0 %  18.0 to 38.0 worse
      position.2.p99                       355 ms 454 ms  +28.0 %  18.0 to 38.0 worse
      position.3-4.p50                     355 ms 447 ms  +26.0 %  16.0 to 36.0 worse
      position.3-4.p99                     355 ms 447 ms  +26.0 %  16.0 to 36.0 worse
      position.5-8.p50                     355 ms 440 ms  +24.0 %  14.0 to 34.0 worse
      position.5-8.p99                     355 ms 440 ms  +24.0 %  14.0 to 34.0 worse
      Informational: these never fail a comparison. 5 others moved less; --format
        json lists them.

      warning   the load came from different machines of the same class (base lab-1,
                head lab-2)
      warning   Run 3 of head is noisier than the history of this scenario: the
                history is left out for turn.ok.p99."
    `);
  });

  test('reads like this if the sides cannot be compared', () => {
    expect(render(notComparable)).toMatchInlineSnapshot(`
      "NOT COMPARABLE  the scenarios send different requests (base c1c3b20e97c5, head
                      0b7d9caa5f7a), and 2 more differences.

      scenario  peak
      base      v1.4.2, 5 runs, 2026-11-20 02:00 to 02:40 UTC
      head      v1.5.0, 5 runs, 2026-11-20 02:05 to 02:45 UTC
      target    https://agent.example.com

      REFUSED, BECAUSE
        - the scenarios send different requests
          scenario.hash: base c1c3b20e97c5f0ea0f3fbb15bf57b16c80b2f5a…, head
          0b7d9caa5f7aa7a2d0c58e4ffaf8db0f36cde0b…
        - shorter think times are a different load
          plan.options.thinkTime: base …"sigma":0.57,"max":"60s"}, head
          …"sigma":0.75,"max":"60s"}
        - more concurrent sessions are a different load
          load.concurrency: base 50, head 80
      Compare runs with equal values of these fields, or use --force; the verdict is
        then marked as forced."
    `);
  });

  test('is short if nothing has changed', () => {
    expect(render(unchanged).split('\n')).toHaveLength(22);
  });

  test('keeps every figure of the gate family at 80 columns', () => {
    const heads = (width: number) =>
      render(regressed, width)
        .split('\n')
        .find((line) => line.startsWith('METRIC'));
    expect(heads(80)).toMatch(/^METRIC +base +head +change +95 % interval +margin +p$/);
    expect(heads(60)).toMatch(/^METRIC +base +head +change 95 % interval$/);
    expect(render(regressed, 60)).toContain('Omitted for lack of space: margin, p.');
  });
});

describe('the first line', () => {
  const firstOf = (comparison: Comparison): string => render(comparison, 200).split('\n')[0] ?? '';

  test('is the verdict with the changed metrics, and states it once', () => {
    expect(firstOf(regressed)).toBe('REGRESSED  turn.ok.p99 +52.9 %, attempt.ok.p99 +148 %.');
    expect(firstOf(unchanged)).toMatch(/^UNCHANGED {2}every deciding metric/);
    expect(firstOf(notComparable)).toMatch(/^NOT COMPARABLE {2}the scenarios/);
  });

  test('states that one run per side relies only on the history', () => {
    expect(firstOf(oneRun)).toMatch(/^REGRESSED {2}One run per side relies only on the history\. Regressed: turn/);
    expect(render(oneRun, 200)).toContain(
      'design    1 run against 1; noise from history only (63 runs in 21 batches, 2026-10-28 to 2026-11-19);',
    );
    expect(render(regressed, 200)).toContain('5 interleaved pairs; noise from runs and history (63 runs');
  });

  test('states that it was forced, and the reason for refusal', () => {
    expect(firstOf(forced)).toMatch(/^REGRESSED {2}Forced, though not comparable \(scenario\.hash,/);
    expect(render(forced)).toContain(
      'COMPARED ANYWAY (--force), ALTHOUGH\n  - the scenarios send different requests\n    scenario.hash: base c1c3b20e',
    );
  });

  test('states whether a fresh set of runs agreed', () => {
    expect(firstOf(confirmed)).toMatch(/%\. A second set of runs confirmed it\.$/);
    expect(render(confirmed)).toContain('CONFIRM   turn.ok.p99 is confirmed: +50.8 % in the second set (p <0.001)');
    expect(firstOf(notConfirmed)).toMatch(/^INCONCLUSIVE {2}Regressed: .* did not show it again\.$/);
    expect(render(notConfirmed)).toContain('attempt.ok.p99 is not confirmed: +3.1 % in the second set (p 0.200)');
  });
});

describe('a refused run', () => {
  const refusal = {
    key: 'validity.verdict',
    base: 'valid',
    head: '1 degraded / 4 valid',
    message: 'not every run is valid',
    runs: ['v2.json, v3.json (degraded: sessions were late)'],
    remedy: 'Omit it, with the run of the same seed on the other side: v1.json.',
  };
  const comparability = { ...notComparable.comparability, refusals: [refusal] };

  test('has a remedy, and the flag that compares anyway', () => {
    expect(render({ ...notComparable, comparability }, 120)).toContain(
      [
        '  - not every run is valid: v2.json, v3.json (degraded: sessions were late)',
        '    validity.verdict: base valid, head 1 degraded / 4 valid',
        `    ${refusal.remedy}`,
        'Or use --force; the verdict is then marked as forced.',
      ].join('\n'),
    );
  });

  test('has no remedy if it was compared by force', () => {
    expect(render({ ...forced, comparability: { ...comparability, forced: true } }, 120)).not.toContain('Omit it');
  });
});

describe('a warning', () => {
  test('describes the differences as text, without field names', () => {
    const warnings = [
      {
        key: 'environment.calibrationMs',
        base: '10.00 ms',
        head: '10.40 ms',
        message: 'the generator’s CPU ran at a different speed: time of the reference loop',
      },
    ];
    const text = render({ ...unchanged, comparability: { ...unchanged.comparability, warnings } }, 120);
    expect(text).toContain('time of the reference loop (base 10.00 ms, head 10.40 ms)');
    expect(text).not.toContain('calibrationMs');
  });
});

describe('the sides', () => {
  test('name runs that cannot be trusted', () => {
    const [first, second, ...others] = regressed.head.runs;
    const runs = [{ ...first, validity: 'degraded' }, { ...second, validity: 'invalid' }, ...others];
    const text = render({ ...regressed, head: { ...regressed.head, runs } } as Comparison);
    expect(text).toMatch(/\nhead {6}v1\.5\.0, 5 runs, .* UTC, 1 degraded, 1 invalid\n/);
    expect(text).toMatch(/\nbase {6}v1\.4\.2, 5 runs, .* UTC\n/);
  });

  test('name the target of each if the targets differ', () => {
    const runs = regressed.head.runs.map((run) => ({ ...run, target: null }));
    expect(render({ ...regressed, head: { ...regressed.head, runs } })).toContain(
      'target    https://agent.example.com (base), embedded reference service (head)',
    );
  });
});

describe('the sentences next to the figures', () => {
  const closed = (): Comparison => ({
    ...regressed,
    summary: 'Regressed: turns take longer: p50 +20.1 % (104 ms to 125 ms), so throughput fell 16.7 %.',
    metrics: familyOf({
      'turn.ok.p50': { is: 'regressed', change: [0.201, 0.19, 0.21], p: 0.0001 },
      'rates.turnsPerSecond': { is: 'regressed', change: [-0.167, -0.17, -0.16], p: 0.0001 },
    }).map((each) =>
      each.unit === 'ms' ? { ...each, isGated: false, notGatedBecause: 'throughput changed, which decides' } : each,
    ),
  });

  test('count only the metrics that p is adjusted for', () => {
    const metrics = regressed.metrics.map((each) =>
      each.name === 'turns.failedShare' || each.name === 'sessionCreate.p99'
        ? { ...each, p: null, pAdjusted: null, adjustedFor: null }
        : each.isGated
          ? { ...each, adjustedFor: each.name === 'rates.turnsPerSecond' ? 31 : 5 }
          : each,
    );
    expect(render({ ...regressed, metrics }, 200)).toContain(
      'p is adjusted for 5 metrics (rates.turnsPerSecond: 31); intervals are not.',
    );
    expect(render({ ...regressed, metrics: metrics.map((each) => ({ ...each, adjustedFor: null })) })).not.toContain(
      'p is adjusted',
    );
  });

  test('do not head the metric of the headline with NOT GATED', () => {
    const lines = render(closed(), 120).split('\n');
    const at = (start: string): number => lines.findIndex((line) => line.startsWith(start));
    expect(at('MOVED WITH THROUGHPUT')).toBe(at('turn.ok.p50') - 1);
    expect(at('MOVED WITH THROUGHPUT')).toBeLessThan(at('UNCHANGED'));
    expect(at('NOT GATED')).toBeLessThan(at('turn.ok.p99'));
    expect(at('NOT GATED')).toBeGreaterThan(at('turn.ok.p50'));
  });

  test('call metrics without data by that name, not undecided', () => {
    const metrics = changed(familyOf({}), 'turn.ok.p99', { verdict: 'no_data', reason: 'base: 800 of 10,000 values' });
    const text = render({ ...unchanged, metrics }, 120);
    expect(text).toContain('WITHOUT DATA');
    expect(text).not.toContain('UNDECIDED');
  });
});

describe('an undecided metric', () => {
  test('has the number of runs that would decide it and the detectable change', () => {
    const text = render(inconclusive, 200);
    expect(text).toMatch(
      /^turn\.ok\.p50 +9\.2 % +too noisy .*; 9 runs per side would show a change of 5 % \(now 3\); longer runs would not help$/m,
    );
    expect(text).toMatch(
      /^turn\.ok\.p99 +29\.0 % +.*; 31 runs per side would show a change of 10 % \(now 3\), or longer runs$/m,
    );
    expect(text).toMatch(/^sessionCreate\.p99 +- +base: 10,000 values are needed, but the measured window has 400$/m);
  });

  test('counts batches if batches are compared', () => {
    const design = { ...inconclusive.design, unit: 'sitting' as const, base: 2, head: 1 };
    expect(render({ ...inconclusive, design }, 200)).toContain(
      '9 batches of runs per side would show a change of 5 % (now 2 and 1)',
    );
  });

  test('does not recommend more runs if they may not help', () => {
    const metrics = inconclusive.metrics.map((each) => ({ ...each, runsNeeded: null }));
    expect(render({ ...inconclusive, metrics })).not.toContain('would show a change of');
  });

  test('is distinguished from metrics without a gate, with the reason', () => {
    expect(render(inconclusive)).toMatch(/NOT GATED\nrates\.turnsPerSecond/);
    expect(render(inconclusive)).toContain(
      'note      rates.turnsPerSecond: the rate of an open load is set, not measured',
    );
  });
});

describe('the details of a change', () => {
  test('is shown by time and position only when parts moved differently', () => {
    const where = whereOf(regressed);
    expect(render(regressed)).toContain('\nBY POSITION');
    expect(render(regressed)).not.toContain('\nOVER TIME');
    const [first, ...others] = where.deciles;
    const deciles = [...others, { ...first, name: 'tenth 10', base: 251, head: 376, change: 0.5, ci95: null }];
    const later = render({ ...regressed, localization: { ...where, deciles, positions: where.positions.slice(0, 3) } });
    expect(later).toMatch(/\nOVER TIME .*\n(.*\n)*tenth 10 +251 ms +376 ms +\+50\.0 % +- +█{20}\n/);
    expect(later).not.toContain('\nBY POSITION');
  });

  test('is not shown by parts that differ only by noise', () => {
    const where = whereOf(regressed);
    const positions = where.positions.map((each, index) => ({
      ...each,
      change: index / 10,
      ci95: { low: index / 10 - 0.2, high: index / 10 + 0.2 },
    }));
    expect(render({ ...regressed, localization: { ...where, positions } })).not.toContain('BY POSITION');
  });

  test('names error classes that are new, and no others', () => {
    expect(render(regressed)).toMatch(/\nNEW ERRORS +base +head\nprovider_rate_limited +0 +48\n/);
    expect(render(unchanged)).not.toContain('NEW ERRORS');
  });

  test('shows faster parts as such', () => {
    const where = whereOf(regressed);
    const quantiles = where.quantiles.map((each) => ({ ...each, change: -0.2 }));
    expect(render({ ...regressed, localization: { ...where, quantiles } })).toMatch(/p50 .*−20\.0 % .* ░{20}/);
  });
});

describe('informational metrics', () => {
  test('are shown if they moved, at most ten; the others are counted', () => {
    const text = render(regressed);
    const [, table = ''] = text.split('ALSO MOVED');
    expect(table.split('\n').filter((line) => / (worse|better)$/.test(line))).toHaveLength(10);
    expect(text).toContain('5 others moved less');
    expect(table).not.toContain('attempt.ok.p99');
  });

  test('are worse or better by their own direction', () => {
    const movers = ['goodput.share'];
    expect(render({ ...regressed, movers })).toMatch(/goodput\.share .*\+0\.40 pp .* better/);
    const metrics = regressed.metrics.map((each) =>
      each.name === 'goodput.share' ? { ...each, change: -0.004 } : each,
    );
    expect(render({ ...regressed, movers, metrics })).toMatch(/goodput\.share .*−0\.40 pp .* worse/);
  });
});
