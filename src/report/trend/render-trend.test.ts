import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { buildTrend } from '../../compare/trend/build-trend.ts';
import { trendDefaults } from '../../compare/trend/trend-options.ts';
import { latencyRule, nightly, noiseAt, runOf, shareRule, startOf } from '../../../test/support/sample-nights.ts';
import { writeMarkdown } from '../outline/write-text.ts';
import { writeTerminal } from '../outline/write-terminal.ts';
import { trendOutline } from './trend-outline.ts';
import type { Style } from '../words/table.ts';
import type { Trend } from '../../compare/trend/trend.ts';

const stepped = nightly(40, (night) => ({
  'turn.ok.p99': 200 * Math.exp(noiseAt(night)) * (night < 25 ? 1 : 1.2),
  'turns.failedShare': 0.01,
}));
const trendOf = (runs = stepped, more = {}) =>
  buildTrend({
    runs,
    rules: [latencyRule, shareRule],
    toolVersion: '0',
    skipped: [],
    warnings: [],
    ...trendDefaults,
    ...more,
  });
const style = { colors: picocolors.createColors(false), width: 80 };
const renderTrend = (trend: Trend, shown: Style) => writeTerminal(trendOutline(trend), shown);
const renderTrendMarkdown = (trend: Trend) => writeMarkdown(trendOutline(trend));
const flat = (text: string) => text.replace(/\s+/g, ' ');

describe('a trend on a terminal', () => {
  test('shows the time, metric, size, first result and commits of a change', () => {
    const text = flat(renderTrend(trendOf(), style));
    expect(text).toMatch(
      /2026-10-26: turn\.ok\.p99 \+(19|20)\.\d % \(95 % interval \+?1[89]\.\d to \+?2[01]\.\d %\), 200 ms to 240 ms first in night-25\.json, commits commit-24\.\.commit-25, 15 batches since/,
    );
    expect(text).toMatch(/turn\.ok\.p99 24\d ms [▁-▇]+ \+(19|20)\.\d % since 2026-10-26/);
    expect(text).toMatch(/turns\.failedShare 1\.00 % [▁-▇]+ -/);
  });

  test('stays within 80 columns, whatever the names', () => {
    const long = 'x'.repeat(150);
    const runs = stepped.map((run) => ({
      ...run,
      file: `${long}.json`,
      group: { ...run.group, scenario: { name: long, hash: long }, machineClass: long },
    }));
    const text = renderTrend(trendOf(runs, { warnings: [long], skipped: [{ file: long, problem: long }] }), style);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  test('has no line that begins within a name', () => {
    const name = 'FORGED words '.repeat(30);
    const runs = stepped.map((run) => ({
      ...run,
      file: `${name}.json`,
      group: { ...run.group, scenario: { name, hash: 'h' }, machineClass: name },
    }));
    const trend = trendOf(runs, { warnings: [name], skipped: [{ file: name, problem: name }] });
    const lines = renderTrend(trend, style).split('\n');
    // The first line of each table is a name alone.
    expect(lines.filter((line) => /^(?:FORGED|words)/.test(line))).toHaveLength(2);
  });

  test('does not show a figure of twelve nights ago as the latest, and states when it was measured', () => {
    const runs = stepped.map((run, night) =>
      night < 28 ? run : { ...run, figures: new Map([...run.figures].filter(([name]) => name !== latencyRule.name)) },
    );
    const told =
      'turn.ok.p99 could not be measured in the last batch of runs (p99 needs 662 values per run); its last value is 2';
    const text = flat(renderTrend(trendOf(runs), style));
    expect(text).toMatch(/turn\.ok\.p99 - [▁-▇ ]+/);
    expect(text).toContain(told);
    expect(text).toMatch(/its last value is 2\d\d ms of 2026-10-28, 12 batches earlier\./);
    const page = renderTrendMarkdown(trendOf(runs));
    expect(page).toMatch(/\n\| `turn\.ok\.p99` \| \\?- \|/);
    expect(page).toContain('could not be measured in the last batch of runs');
    expect(flat(renderTrend(trendOf(), style))).not.toContain('could not be measured');
  });

  describe('with degraded nights', () => {
    const degraded = trendOf(stepped.map((run, night) => ({ ...run, isDegraded: [3, 39].includes(night) })));

    test('marks them below the figures, and names them, the latest first', () => {
      const text = renderTrend(degraded, style);
      expect(text).toMatch(/\ndegraded runs +1 +·+!·+! +-/);
      expect(flat(text)).toContain('(! in the table): 2026-11-09 (1 of 1 run), 2026-10-04 (1 of 1 run).');
      const page = renderTrendMarkdown(degraded);
      expect(page).toMatch(/\n\| `degraded runs` \| 1 \| `·{3}!·{35}!` \| \\?- \|\n/);
      expect(page).toContain('2026-11-09 (1 of 1 run)');
    });

    test('prints the table that it points to if no metric has figures', () => {
      const bare = trendOf(stepped.map((run, night) => ({ ...run, figures: new Map(), isDegraded: night === 3 })));
      const text = renderTrend(bare, style);
      expect(flat(text)).toContain('(! in the table): 2026-10-04');
      expect(text).toMatch(/\nMETRIC +last +by batch +change\n/);
      expect(text).toMatch(/\ndegraded runs +0 +·+!·+ +-/);
      const none = trendOf(stepped.map((run) => ({ ...run, figures: new Map() })));
      expect(renderTrend(none, style)).not.toContain('METRIC');
      expect(renderTrendMarkdown(none)).not.toContain('| metric');
    });

    test('does not mention them if there are none', () => {
      expect(renderTrend(trendOf(), style)).not.toMatch(/degraded/i);
    });
  });

  test('explains why there is no change to report', () => {
    expect(renderTrend(trendOf(stepped.slice(0, 20)), style)).toContain('No change.');
    expect(renderTrend(trendOf(stepped.slice(0, 9)), style)).toContain(
      'change detection needs 10 batches of runs; there are 9',
    );
  });

  test('does not let older series hide the newest', () => {
    const { group } = runOf({});
    const runs = Array.from({ length: 5 }, (_, at) =>
      runOf({ 'turn.ok.p99': 9 }, { group: { ...group, loadHash: `load-${String(at)}` }, startedAt: startOf(at) }),
    );
    const text = renderTrend(trendOf(runs), style);
    expect(text).toContain('load load-4');
    expect(text).not.toContain('load load-0');
    expect(text).toContain('2 more series with older results');
  });

  test('names unusable files', () => {
    const skipped = Array.from({ length: 7 }, (_, at) => ({ file: `f${String(at)}.json`, problem: 'is empty' }));
    const text = renderTrend(trendOf(stepped, { skipped }), style);
    expect(text).toContain('warning   f0.json is empty');
    expect(text).toContain('2 more unusable files');
  });
});

test('a trend in Markdown is a table and a list, in which names are not markup', () => {
  const runs = stepped.map((run) => ({ ...run, file: 'a_b|c<d>.json' }));
  const text = renderTrendMarkdown(trendOf(runs));
  expect(text).toMatch(/\n\| `turn\.ok\.p99` \| 24\d ms \| `[▁-▇]+` \| \+(19|20)\.\d % since 2026-10-26 \|\n/);
  expect(text).toContain('- **2026-10-26**, first in a\\_b\\|c&lt;d&gt;.json');
  expect(text).toMatch(/\n {2}- worse: turn\.ok\.p99 \+/);
});
