import { renderComparison } from '../../../test/support/render-outline.ts';
import fc from 'fast-check';
import picocolors from 'picocolors';
import { describe, expect, test } from 'vitest';
import { blocksOf, idsOf, rowsOf, sectionOf } from '../../../test/support/page-parts.ts';
import {
  comparisons,
  confirmed,
  forced,
  hostileOne,
  inconclusive,
  notComparable,
  regressed,
  unchanged,
} from '../../../test/support/synthetic-comparison.ts';
import { unsafeParts } from '../../../test/support/unsafe-parts.ts';
import { exitCodeOfComparison } from '../../cli/perform/compare.ts';
import type { Comparison } from '../../compare/document/comparison.ts';
import { comparisonVerdictLine } from './comparison-ends.ts';
import type { RangesBlock } from '../page/page.ts';
import { viewComparison } from './comparison-outline.ts';

/** The lines of a wide terminal by their first cell; the first line with that cell. */
function terminalRows(comparison: Comparison): Map<string, string[]> {
  const text = renderComparison(comparison, { colors: picocolors.createColors(false), width: 1000 });
  const rows = text.split('\n').map((line) => line.split(/ {2,}/));
  return new Map(rows.toReversed().map(([name = '', ...cells]) => [name, cells]));
}

const rangesOf = (comparison: Comparison, section: string): RangesBlock[] =>
  blocksOf(sectionOf(viewComparison(comparison), section), 'ranges');
const tableOf = (comparison: Comparison, section: string) =>
  blocksOf(sectionOf(viewComparison(comparison), section), 'table').flatMap(rowsOf);
const metricOf = ({ metrics }: Comparison, name: string) => metrics.find((metric) => metric.name === name);

describe('the verdict of the page of a comparison', () => {
  const cases = Object.entries(comparisons).flatMap(([name, comparison]) =>
    [
      { failOnInconclusive: false, violatedRuns: 0 },
      { failOnInconclusive: true, violatedRuns: 0 },
      { failOnInconclusive: false, violatedRuns: 2 },
    ].map((stakes) => ({ name, stakes, comparison: { ...comparison, ...stakes } })),
  );

  test.each(cases)('is the last line of the terminal, in the state of the exit code: $name $stakes', (each) => {
    const { state, sentence } = viewComparison(each.comparison).verdict;
    expect(sentence).toBe(comparisonVerdictLine(each.comparison));
    const states: Record<number, string[]> = { 0: ['passed', 'neutral'], 1: ['failed'], 4: ['invalid'] };
    expect(states[exitCodeOfComparison(each.comparison)]).toContain(state);
  });

  test('is not called passed if nothing was shown', () => {
    expect(viewComparison(inconclusive).verdict.state).toBe('neutral');
    expect(viewComparison(unchanged).verdict.state).toBe('passed');
  });

  test('names the changed metrics once, followed by every warning', () => {
    const { sentence, notes } = viewComparison(regressed).verdict;
    expect(sentence).toBe('FAILED: regressed: turn.ok.p99 +52.9 %, attempt.ok.p99 +148 %');
    expect(notes).toEqual([
      'Warning: the load came from different machines of the same class (base lab-1, head lab-2)',
      ...regressed.warnings.map((warning) => `Warning: ${warning}`),
    ]);
  });
});

describe('the note of an inconclusive comparison', () => {
  test('does not repeat the verdict', () => {
    const { sentence, notes } = viewComparison(inconclusive).verdict;
    expect(sentence).toMatch(/^INCONCLUSIVE: /);
    expect(notes[0]).toMatch(/^Too noisy to tell whether /);
  });
});

describe('the metrics on the page of a comparison', () => {
  test('start each row of the table with the metric, which stays visible when the table scrolls', () => {
    const [table] = blocksOf(sectionOf(viewComparison(regressed), 'metrics'), 'table');
    expect(table?.columns.slice(0, 2).map(({ head }) => head)).toEqual(['metric', 'verdict']);
  });

  test.each(Object.entries(comparisons).filter(([name]) => name !== 'notComparable'))(
    'have the figures of the terminal: %s',
    (_, comparison) => {
      const lines = terminalRows(comparison);
      const rows = tableOf(comparison, 'metrics');
      const statistics = tableOf(comparison, 'design');
      expect(rows.length).toBe(8);
      for (const row of rows) {
        const { metric = '', base, head, change } = row;
        const more = statistics.find((each) => each['metric'] === metric);
        expect([base, head, change, row['95 % interval'], more?.['margin'], more?.['adjusted p']]).toEqual(
          lines.get(metric),
        );
      }
    },
  );

  test('are drawn with the change, interval and margin of the document, shares in points on their own', () => {
    const [changes, points] = rangesOf(regressed, 'metrics');
    expect([changes?.unit, points?.unit]).toEqual(['change', 'points']);
    expect(points?.rows.map(({ label }) => label)).toEqual(['turns.failedShare']);
    const rows = [...(changes?.rows ?? []), ...(points?.rows ?? [])];
    expect(rows).toHaveLength(8);
    for (const { label, value, low, high, margin } of rows) {
      const { change, ci95, margin: min } = metricOf(regressed, label) ?? {};
      expect({ value, low, high, margin }).toEqual({ value: change, ...ci95, margin: min });
    }
  });

  test('that regressed are listed first, in the color of failures and with the verdict', () => {
    const [changes] = rangesOf(regressed, 'metrics');
    const told = changes?.rows.map(({ label, tone, note }) => ({ label, tone, note })) ?? [];
    expect(told.slice(0, 3)).toEqual([
      { label: 'attempt.ok.p99', tone: 'failed', note: 'regressed' },
      { label: 'turn.ok.p99', tone: 'failed', note: 'regressed' },
      { label: 'sessionCreate.p99', tone: 'retry', note: 'inconclusive' },
    ]);
    expect(changes?.rows.find(({ label }) => label === 'rates.turnsPerSecond')).toMatchObject({
      note: 'unchanged',
      remark: 'lower is worse',
    });
    expect(tableOf(regressed, 'metrics').map(({ state }) => state)).toEqual([
      ...['bad', 'bad', 'doubtful'],
      ...Array.from({ length: 5 }, () => 'plain'),
    ]);
  });

  test('that are undecided have the reason, the data needed and the detectable change', () => {
    const row = tableOf(inconclusive, 'metrics').find(({ metric }) => metric === 'turn.ok.p50');
    expect(row).toMatchObject({ verdict: 'inconclusive', state: 'doubtful' });
    const statistics = tableOf(inconclusive, 'design').find(({ metric }) => metric === 'turn.ok.p50');
    expect(statistics?.['detectable']).toBe('9.2 %');
    expect(row?.['reason, and data needed']).toMatch(
      /too noisy .*; 9 runs per side would show a change of 5 % \(now 3\)/,
    );
  });

  test('that changed come before unchanged ones, gated or not', () => {
    const metrics = regressed.metrics.map((metric) =>
      metric.name === 'turn.ok.p50'
        ? { ...metric, change: 0.25, isGated: false, notGatedBecause: 'throughput changed' }
        : metric,
    );
    const verdicts = tableOf({ ...regressed, metrics }, 'metrics').map(({ verdict }) => verdict);
    expect(verdicts.indexOf('not gated')).toBeLessThan(verdicts.indexOf('unchanged'));
  });

  test('without data are rows of the table without a value, and not in the chart', () => {
    const [changes] = rangesOf(inconclusive, 'metrics');
    expect(changes?.rows.map(({ label }) => label)).not.toContain('sessionCreate.p99');
    expect(tableOf(inconclusive, 'metrics').find(({ metric }) => metric === 'sessionCreate.p99')).toMatchObject({
      base: '-',
      change: '-',
      '95 % interval': '-',
    });
  });

  test('without an interval keep their change', () => {
    const metrics = regressed.metrics.map((metric) => ({ ...metric, ci95: null }));
    const [changes] = rangesOf({ ...regressed, metrics }, 'metrics');
    expect(changes?.rows[0]).toMatchObject({ value: 1.481, low: null, high: null });
  });

  test('outside the gate family are drawn if they moved, all of them, and listed in any case', () => {
    const [changes, points] = rangesOf(regressed, 'informational');
    const names = [...(changes?.rows ?? []), ...(points?.rows ?? [])].map(({ label }) => label);
    const movers = regressed.movers.filter((name) => metricOf(regressed, name)?.isGated === false);
    expect(names.toSorted()).toEqual(movers.toSorted());
    expect(points?.rows.find(({ label }) => label === 'goodput.share')).toMatchObject({
      note: 'better',
      remark: 'lower is worse',
      tone: 'ok',
      margin: null,
    });
    const still = { ...regressed, movers: [] };
    expect(rangesOf(still, 'informational')).toEqual([]);
    const rows = tableOf(still, 'informational');
    expect(rows).toHaveLength(regressed.metrics.filter(({ isGated }) => !isGated).length);
    expect(rows.every(({ moved, state }) => moved === '' && state === 'plain')).toBe(true);
  });
});

describe('the details of a change, on the page of a comparison', () => {
  test('is drawn by quantile, tenth and position with the figures of the document', () => {
    const where = regressed.localization;
    const drawn = rangesOf(regressed, 'shape').map(({ id, rows }) => ({
      id,
      points: rows.map(({ label: name, value: change, low, high }) => ({ name, change, ci95: { low, high } })),
    }));
    const asDrawn = (points: NonNullable<typeof where>['quantiles'] = []) =>
      points.map(({ name, change, ci95 }) => ({ name, change, ci95 }));
    expect(drawn).toEqual([
      { id: 'shift-quantiles', points: asDrawn(where?.quantiles) },
      { id: 'shift-deciles', points: asDrawn(where?.deciles) },
      { id: 'shift-positions', points: asDrawn(where?.positions) },
    ]);
    expect(sectionOf(viewComparison(regressed), 'shape').lead).toBe(where?.summary);
  });

  test('shows the tail as slower and unchanged quantiles as neither', () => {
    const [quantiles] = rangesOf(regressed, 'shape');
    expect(quantiles?.rows.map(({ note, tone }) => `${note} ${tone}`)).toEqual([
      ...[' neutral', ' neutral', ' neutral'],
      ...['slower failed', 'slower failed', 'slower failed'],
    ]);
    const [table] = blocksOf(sectionOf(viewComparison(regressed), 'shape'), 'table');
    const lines = terminalRows(regressed);
    for (const { cells } of table?.rows ?? []) expect(lines.get(cells[0] ?? '')?.slice(0, 4)).toEqual(cells.slice(1));
  });

  test('draws nothing without a known change, and still lists it', () => {
    const quantiles = [{ name: 'p50', base: 204, head: null, change: null, ci95: null }];
    const localization = regressed.localization && { ...regressed.localization, quantiles };
    const ids = rangesOf({ ...regressed, localization }, 'shape').map(({ id }) => id);
    expect(ids).toEqual(['shift-deciles', 'shift-positions']);
    expect(tableOf({ ...regressed, localization }, 'shape')[0]).toMatchObject({
      part: 'p50',
      base: '204 ms',
      head: '-',
    });
  });

  test('names error classes of either side, and new ones', () => {
    expect(tableOf(regressed, 'errors')).toEqual([
      { class: 'rate_limited', base: '160', head: '171', note: '', state: 'plain' },
      { class: 'provider_rate_limited', base: '0', head: '48', note: 'new', state: 'bad' },
    ]);
  });
});

describe('a comparison that was refused, as a page', () => {
  const page = viewComparison(notComparable);

  test('shows the reasons and the remedy once, in its first section', () => {
    expect(page.verdict.sentence).toMatch(/^INVALID: not comparable: /);
    expect(page.verdict.notes).toEqual([]);
    const [warning] = regressed.comparability.warnings;
    const warned = { ...notComparable.comparability, warnings: warning === undefined ? [] : [warning] };
    expect(viewComparison({ ...notComparable, comparability: warned }).verdict.notes).toEqual([]);
    const section = sectionOf(page, 'differences');
    expect(blocksOf(section, 'prose').at(-1)?.lines.at(-1)).toMatch(
      /^Compare runs with equal values of these fields, or use --force/,
    );
    expect(section.title).toBe('Reasons for refusal');
    expect(tableOf(notComparable, 'differences')[0]).toMatchObject({
      field: 'scenario.hash',
      base: notComparable.comparability.refusals[0]?.base,
      state: 'bad',
    });
  });

  test('names the remedy of each refusal, if it has one', () => {
    const [first, ...others] = notComparable.comparability.refusals;
    const refusals = [{ ...first, remedy: 'Omit it.' }, ...others];
    const remedied = { ...notComparable, comparability: { ...notComparable.comparability, refusals } } as Comparison;
    expect(tableOf(remedied, 'differences').map((row) => row['remedy'])).toEqual(['Omit it.', '', '']);
  });

  test('shows nothing that was not compared, and who would have been', () => {
    expect(page.sections.map(({ id }) => id)).toEqual(['differences', 'runs']);
    expect(page.facts.map(({ name }) => name)).not.toContain('design');
  });

  test('shows everything if it was forced, and the reason for refusal', () => {
    const { sections, verdict } = viewComparison(forced);
    expect(sections.map(({ id }) => id)).toContain('metrics');
    expect(sectionOf({ sections }, 'differences').lead).toBe('It was compared anyway (--force).');
    expect(verdict.notes[1]).toMatch(/^Compared anyway \(--force\), although the scenarios send different requests/);
  });
});

describe('the evidence of a comparison, as a page', () => {
  test('names every run, and the untrustworthy ones', () => {
    const [first, second, ...others] = regressed.head.runs;
    const runs = [{ ...first, validity: 'degraded' }, { ...second, validity: 'invalid' }, ...others];
    const broken = [{ id: 'v1.5.0-3', file: 'results/peak-v1.5.0-3.json', reason: 'it refused every key' }];
    const rows = tableOf({ ...regressed, broken, head: { ...regressed.head, runs } } as Comparison, 'runs');
    expect(rows).toHaveLength(10);
    expect(rows[0]).toMatchObject({ run: 'base run 1', seed: '1', pair: '1', label: 'v1.4.2', state: 'plain' });
    expect(rows.slice(5, 8).map(({ run, state, note }) => ({ run, state, note }))).toEqual([
      { run: 'head run 1', state: 'doubtful', note: '' },
      { run: 'head run 2', state: 'bad', note: '' },
      { run: 'head run 3', state: 'bad', note: 'the service broke it: it refused every key' },
    ]);
  });

  test('explains the result of the second set of runs', () => {
    const [prose] = blocksOf(sectionOf(viewComparison(confirmed), 'confirmation'), 'prose');
    expect(prose?.lines[0]).toBe('turn.ok.p99 is confirmed: +50.8 % in the second set (p <0.001)');
  });
});

describe('the page of any comparison', () => {
  test.each(Object.entries(comparisons))('is JSON-safe, with unique ids: %s', (_, comparison) => {
    const page = viewComparison(comparison);
    expect(unsafeParts(page)).toEqual([]);
    expect(JSON.parse(JSON.stringify(page))).toEqual(page);
    expect(new Set(idsOf(page)).size).toBe(idsOf(page).length);
  });

  test('keeps hostile texts as texts, without control characters', () => {
    const text = JSON.stringify(viewComparison(hostileOne));
    expect(text).toContain('</system-out>]]><img src=x onerror=');
    expect(JSON.parse(text)).toEqual(viewComparison(hostileOne));
    expect(text).not.toMatch(/\\u00[01]|\u202e|\p{Cc}/u);
  });

  test('draws no missing number', () => {
    const number = fc.oneof(fc.double(), fc.constantFrom(NaN, Infinity, -Infinity));
    const anyNumber = fc.oneof(number, fc.constant(null));
    const interval = fc.oneof(fc.record({ low: number, high: number }), fc.constant(null));
    fc.assert(
      fc.property(anyNumber, interval, number, (change, ci95, margin) => {
        const metrics = regressed.metrics.map((metric) => ({ ...metric, change, ci95, margin, base: change }));
        const quantiles = [{ name: 'p50', base: change, head: change, change, ci95 }];
        const localization = regressed.localization && { ...regressed.localization, quantiles };
        expect(unsafeParts(viewComparison({ ...regressed, metrics, localization }))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});
