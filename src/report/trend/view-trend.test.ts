import fc from 'fast-check';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { blocksOf, idsOf, rowsOf, sectionOf } from '../../../test/support/page-parts.ts';
import { latencyRule, nightly, noiseAt, rateRule, runOf, shareRule } from '../../../test/support/sample-nights.ts';
import { unsafeParts } from '../../../test/support/unsafe-parts.ts';
import { buildTrend } from '../../compare/trend/build-trend.ts';
import { trendDefaults } from '../../compare/trend/trend-options.ts';
import type { Trend } from '../../compare/trend/trend.ts';
import type { TrendRun } from '../../compare/trend/trend-run.ts';
import { writeTerminal } from '../outline/write-terminal.ts';
import { trendOutline, viewTrend } from './trend-outline.ts';

/** 200 ms, from the 26th night on 240 ms; failures and throughput stay. */
const stepped = nightly(40, (night) => ({
  'turn.ok.p99': 200 * Math.exp(noiseAt(night)) * (night < 25 ? 1 : 1.2),
  'turns.failedShare': 0.01,
  'rates.turnsPerSecond': 50 * Math.exp(noiseAt(night + 7)),
}));
const rules = [{ ...rateRule, isGated: false }, latencyRule, shareRule];
const trendOf = (runs: readonly TrendRun[] = stepped, more: Partial<Trend> = {}): Trend => ({
  ...buildTrend({ runs, rules, toolVersion: '0', skipped: [], warnings: [], ...trendDefaults }),
  ...more,
});
const trend = trendOf();
const [group] = trend.groups;
const page = viewTrend(trend);
const linesOf = (shown: ReturnType<typeof viewTrend>, section: string) => blocksOf(sectionOf(shown, section), 'lines');
const tableOf = (shown: ReturnType<typeof viewTrend>, section: string, title: string) =>
  blocksOf(sectionOf(shown, section), 'table')
    .filter((table) => table.title === title)
    .flatMap(rowsOf);

function inTerminal(shown: Trend): string {
  const style = { colors: picocolors.createColors(false), width: 1000 };
  return writeTerminal(trendOutline(shown), style);
}

describe('a trend with a change point, as a page', () => {
  const [p99] = linesOf(page, 'series-1');
  const [points, means] = p99?.series ?? [];
  const metric = group?.metrics.find(({ name }) => name === 'turn.ok.p99');
  const [event] = group?.events ?? [];

  test('draws each gated metric over its nights with the values of the document', () => {
    expect(linesOf(page, 'series-1').map(({ title }) => title)).toEqual(['turn.ok.p99', 'turns.failedShare']);
    expect(p99?.x).toEqual({ title: 'batch of runs', form: 'text', labels: group?.nights.map(({ date }) => date) });
    expect(points?.points.map(({ x, y }) => [x, y])).toEqual(metric?.points.map(({ night, value }) => [night, value]));
    expect(linesOf(page, 'series-1').map(({ unit }) => unit)).toEqual(['ms', 'share']);
  });

  test('draws the means between change points as steps up to the last night', () => {
    expect(means?.form).toBe('step');
    const [before, after] = metric?.segments ?? [];
    expect(before?.value).toBeCloseTo(200, -1);
    expect(after?.value).toBeCloseTo(240, -1);
    expect(means?.points.map(({ x, y }) => [x, y])).toEqual([
      [0, before?.value],
      [25, after?.value],
      [39, after?.value],
    ]);
  });

  test('marks the change with its date and commits, on the metric that changed alone', () => {
    expect(p99?.marks).toEqual([
      { x: 25, label: expect.stringMatching(/^2026-10-26: \+(19|20)\.\d %, commits commit-24\.\.commit-25$/) },
    ]);
    expect(linesOf(page, 'series-1')[1]?.marks).toEqual([]);
  });

  test('lists the change as in the terminal', () => {
    const [row, ...others] = tableOf(page, 'series-1', 'Changes');
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      date: '2026-10-26',
      metric: 'turn.ok.p99',
      direction: 'worse',
      'first in': 'night-25.json',
      commits: 'commit-24..commit-25',
      'batches since': '15',
      state: 'bad',
    });
    expect(inTerminal(trend)).toContain(
      `${row?.['metric'] ?? ''} ${row?.['change'] ?? ''} (95 % interval ${row?.['95 % interval'] ?? ''} %), ${row?.['before'] ?? ''} to ${row?.['after'] ?? ''}`,
    );
    expect(event?.metrics).toHaveLength(1);
  });

  test('lists informational metrics and the nights after the gated metrics', () => {
    expect(page.sections.map(({ id }) => id)).toEqual(['series-1', 'series-1-informational', 'series-1-nights']);
    expect(linesOf(page, 'series-1-informational').map(({ title, description }) => [title, description])).toEqual([
      ['rates.turnsPerSecond', expect.stringContaining('Lower is worse; changes below 5 % are not reported.')],
    ]);
    const nights = tableOf(page, 'series-1-nights', 'Batches of runs');
    expect(nights).toHaveLength(40);
    expect(nights[0]).toMatchObject({
      date: '2026-11-09',
      runs: '1',
      commit: 'commit-39',
      'first result': 'night-39.json',
    });
  });

  test('states the newest change next to the verdict', () => {
    expect(page.verdict).toMatchObject({ state: 'neutral', sentence: '1 change in 1 series' });
    expect(page.verdict.notes[0]).toMatch(/^smoke, 2026-10-26: turn\.ok\.p99 \+.*; first in night-25\.json, commits/);
  });
});

describe('the verdict of the page of a trend', () => {
  test.each([
    [null, 'failed' as const, /^FAILED: a gated metric changed on 2026-10-26$/, '2026-10-26'],
    ['no event', 'passed' as const, /^PASSED$/, null],
  ])('is the last line of the terminal if one was requested (%s)', (_, state, sentence, date) => {
    const judged = trendOf(stepped, { alarm: { on: 'change', nights: 3, date, doubtful: 0, searched: 1 } });
    const { verdict } = viewTrend(judged);
    expect(verdict.state).toBe(state);
    expect(verdict.sentence).toMatch(sentence);
    expect(inTerminal(judged).split('\n').at(-1)).toBe(verdict.sentence);
  });

  test('shows warnings, and lists every unusable file', () => {
    const skipped = Array.from({ length: 7 }, (_, at) => ({ file: `f${String(at)}.json`, problem: 'is empty' }));
    const shown = viewTrend(trendOf(stepped, { skipped, warnings: ['The clock went back.'] }));
    expect(shown.verdict.notes).toContain('The clock went back.');
    expect(tableOf(shown, 'skipped', 'Skipped files')).toHaveLength(7);
  });
});

describe('other trends as pages', () => {
  test('a page without any event explains why, and marks nothing', () => {
    const quiet = viewTrend(trendOf(stepped.slice(0, 20)));
    expect(quiet.verdict.sentence).toBe('No change in 1 series');
    expect(blocksOf(sectionOf(quiet, 'series-1'), 'prose')[0]?.lines).toEqual(['No change.']);
    expect(linesOf(quiet, 'series-1').flatMap(({ marks }) => marks)).toEqual([]);
    expect(tableOf(quiet, 'series-1', 'Changes')).toEqual([]);
    const few = viewTrend(trendOf(stepped.slice(0, 9)));
    expect(blocksOf(sectionOf(few, 'series-1'), 'prose')[0]?.lines[0]).toContain('there are 9');
  });

  test('a page that is too short to be searched does not state that nothing changed', () => {
    const few = trendOf(stepped.slice(0, 8));
    expect(viewTrend(few).verdict.sentence).toBe(
      '1 series not searched: change detection needs 10 batches of runs (found: 8)',
    );
    expect(inTerminal(few)).toContain(
      '\nchanges   1 series not searched: change detection needs 10 batches of runs (found: 8)\n',
    );
    const others = stepped.slice(0, 20).map((run) => ({ ...run, group: { ...run.group, loadHash: 'other' } }));
    expect(viewTrend(trendOf([...stepped.slice(0, 8), ...others])).verdict.sentence).toBe(
      'No change in 1 series searched; 1 series not searched: change detection needs 10 batches of runs (found: 8)',
    );
    const judged = { ...few, alarm: { on: 'change' as const, nights: 7, date: null, doubtful: 0, searched: 0 } };
    expect(viewTrend(judged).verdict.sentence).toBe(
      'PASSED, 1 series not searched: change detection needs 10 batches of runs (found: 8)',
    );
  });

  test('a page whose metrics have too few figures does not state that nothing changed', () => {
    const bare = trendOf(stepped.map((run, night) => (night < 9 ? run : { ...run, figures: new Map() })));
    expect(viewTrend(bare).verdict.sentence).toBe('1 series not searched: no metric has values in 10 batches of runs');
    expect(inTerminal(bare)).not.toContain('No change');
  });

  test('a requested metric without a figure is named, without a chart', () => {
    const runs = stepped.map((run) => ({ ...run, figures: new Map() }));
    const asked = buildTrend({
      runs,
      rules: [latencyRule],
      isRequested: true,
      toolVersion: '0',
      skipped: [],
      warnings: [],
      ...trendDefaults,
    });
    const shown = viewTrend(asked);
    expect(tableOf(shown, 'series-1', 'Metrics')).toMatchObject([{ metric: 'turn.ok.p99', last: 'no data' }]);
    expect(linesOf(shown, 'series-1')).toEqual([]);
    expect(inTerminal(asked)).toMatch(/\nturn\.ok\.p99 +no data/);
  });

  test('degraded nights are marked in charts, named and counted', () => {
    const runs = stepped.map((run, night) => ({ ...run, isDegraded: [3, 39].includes(night) }));
    const shown = viewTrend(trendOf(runs));
    const [lines] = linesOf(shown, 'series-1');
    const doubtful = lines?.series.find(({ label }) => label === 'with degraded runs');
    expect(doubtful?.points).toEqual(lines?.series[0]?.points.filter(({ x }) => [3, 39].includes(x)));
    expect(blocksOf(sectionOf(shown, 'series-1'), 'prose')[0]?.lines[0]).toBe(
      'Degraded runs, less reliable: 2026-11-09 (1 of 1 run), 2026-10-04 (1 of 1 run).',
    );
    const states = tableOf(shown, 'series-1-nights', 'Batches of runs').map(({ degraded, state }) => [degraded, state]);
    expect(states.slice(0, 2)).toEqual([
      ['1', 'doubtful'],
      ['0', 'plain'],
    ]);
    expect(linesOf(page, 'series-1')[0]?.series).toHaveLength(2);
  });

  test('a page of two series shows both, each with its own sections', () => {
    const others = stepped.slice(0, 12).map((run) => ({
      ...run,
      group: { ...run.group, scenario: { name: 'soak', hash: 'other' } },
    }));
    const both = viewTrend(trendOf([...stepped, ...others]));
    expect(both.title).toBe('Trend: smoke, soak');
    expect(both.sections.map(({ id }) => id)).toContain('series-2');
    expect(sectionOf(both, 'series-2')).toMatchObject({
      title: 'soak',
      lead: expect.stringMatching(/^12 batches of runs, /),
    });
    expect(new Set(idsOf(both)).size).toBe(idsOf(both).length);
  });

  test('batches of one day are distinguished by their time, series of one name by their differences', () => {
    const starts = [
      '2026-11-21T09:00:00.000Z',
      ...['09:00:00', '10:05:07', '10:05:31'].map((t) => `2026-11-22T${t}.000Z`),
    ];
    const runs = starts.map((startedAt) => runOf({}, { startedAt, isDegraded: true }));
    const others = runs.map((run) => ({ ...run, group: { ...run.group, loadHash: 'load-two' } }));
    const both = trendOf([...runs, ...others]);
    const shown = viewTrend(both);
    const named = ['2026-11-22 10:05:31', '2026-11-22 10:05:07', '2026-11-22 09:00', '2026-11-21'];
    expect(tableOf(shown, 'series-1-nights', 'Batches of runs').map(({ date }) => date)).toEqual(named);
    expect(inTerminal(both)).toContain(named.map((name) => `${name} (1 of 1 run)`).join(', '));
    const titles = shown.sections.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(titles).toContain('smoke (load load-two): batches of runs');
    expect(inTerminal(both)).toContain('\nsmoke (load load-two): 4 batches of runs');
  });

  test('more series than the terminal shows are counted', () => {
    const many = Array.from({ length: 5 }, (_, at) =>
      stepped.slice(0, 2).map((run) => ({ ...run, group: { ...run.group, loadHash: `load ${String(at)}` } })),
    );
    const shown = viewTrend(trendOf(many.flat()));
    expect(shown.sections.map(({ id }) => id)).not.toContain('series-4');
    expect(shown.verdict.notes.at(-1)).toContain('2 more series with older results');
  });

  test('a metric that could not be measured lately ends where its figures end', () => {
    const runs = stepped.map((run, night) =>
      night < 28 ? run : { ...run, figures: new Map([...run.figures].filter(([name]) => name !== latencyRule.name)) },
    );
    const shown = viewTrend(trendOf(runs));
    const lines = linesOf(shown, 'series-1').find(({ title }) => title === 'turn.ok.p99');
    expect(lines?.series.map((each) => each.points.at(-1)?.x)).toEqual([27, 27]);
    expect(blocksOf(sectionOf(shown, 'series-1'), 'prose')[0]?.lines.join(' ')).toContain('could not be measured');
  });

  test('a page without results states so', () => {
    const empty = viewTrend(trendOf([]));
    expect(empty).toMatchObject({ title: 'Trend', sections: [], verdict: { sentence: 'No series' } });
    expect(empty.facts[0]?.text).toMatch(/^0 results in 0 series/);
  });

  test('hostile texts stay texts, and ids contain nothing of them', () => {
    const hostile = '</script><img src=x onerror="alert(1)">\u001b[2J\u202e"\'';
    const runs = stepped.map((run) => ({
      ...run,
      file: hostile,
      commit: hostile,
      sitting: `${hostile}${run.startedAt}`,
      group: { scenario: { name: hostile, hash: hostile }, machineClass: hostile, loadHash: hostile },
      figures: new Map([...run.figures].map(([, figure]) => [hostile, figure])),
    }));
    const shown = viewTrend({
      ...buildTrend({
        runs,
        rules: [{ ...latencyRule, name: hostile }],
        toolVersion: hostile,
        skipped: [{ file: hostile, problem: hostile }],
        warnings: [hostile],
        ...trendDefaults,
      }),
    });
    const text = JSON.stringify(shown);
    expect(JSON.parse(text)).toEqual(shown);
    expect(text).toContain('</script><img src=x');
    expect(text).not.toMatch(/\\u00[01]|\u202e|\p{Cc}/u);
    expect(idsOf(shown).filter((id) => !/^[a-z0-9-]+$/.test(id))).toEqual([]);
  });

  test('metrics with similar names have separate charts', () => {
    const names = ['a.b', 'a-b'];
    const runs = nightly(12, () => Object.fromEntries(names.map((name) => [name, 9])));
    const alike = names.map((name) => ({ ...latencyRule, name }));
    const shown = viewTrend(
      buildTrend({ runs, rules: alike, toolVersion: '0', skipped: [], warnings: [], ...trendDefaults }),
    );
    expect(linesOf(shown, 'series-1')).toHaveLength(2);
    expect(new Set(idsOf(shown)).size).toBe(idsOf(shown).length);
  });

  test('no missing number is drawn', () => {
    const number = fc.oneof(fc.double(), fc.constantFrom(NaN, Infinity, -Infinity));
    fc.assert(
      fc.property(number, number, (value, mean) => {
        const groups = trend.groups.map((each) => ({
          ...each,
          metrics: each.metrics.map((metric) => ({
            ...metric,
            points: [{ night: 0, value, runs: 1 }, ...metric.points],
            segments: [{ night: 0, nights: 1, value: mean }, ...metric.segments],
          })),
        }));
        expect(unsafeParts(viewTrend({ ...trend, groups }))).toEqual([]);
      }),
      { numRuns: 100 },
    );
    expect(unsafeParts(page)).toEqual([]);
  });
});
