import { beforeAll, describe, expect, test } from 'vitest';
import { printableTexts } from '../../src/base/printable.ts';
import type { Page } from '../../src/report/page/page.ts';
import { viewResults } from '../../src/report/run/result-outline.ts';
import { actualText } from '../../src/report/run/gate-section.ts';
import { verdictLine } from '../../src/report/run/verdict-line.ts';
import { formatCount, formatMs, formatPerSecond } from '../../src/base/format.ts';
import type { Result } from '../../src/result/result.ts';
import { hasBrowser, useBrowser, type Opened } from '../support/browser.ts';
import { shownTables } from '../support/page-parts.ts';
import { peakResult } from '../support/peak-result.ts';
import { reportOf } from '../support/report-of.ts';
import { settled, tablesOf, textsOf } from '../support/shown-texts.ts';

describe.runIf(hasBrowser)('the report of the peak scenario, in a browser', () => {
  const open = useBrowser();
  let result: Result;
  let page: Page;
  let opened: Opened;

  beforeAll(async () => {
    result = await peakResult();
    page = printableTexts(viewResults([result]));
    opened = await open(await reportOf(result));
  });

  const tableOf = async (caption: string): Promise<string[][]> =>
    (await tablesOf(opened.tab)).find((table) => table.caption === caption)?.rows ?? [];

  test('starts with the verdict and the description of the run', async () => {
    expect(await textsOf(opened.tab, '.verdict .sentence')).toEqual([`✓${verdictLine(result)}`]);
    expect(await textsOf(opened.tab, 'h1')).toEqual([page.title]);
    expect(await textsOf(opened.tab, '.facts dd')).toEqual(page.facts.map(({ text }) => text));
  });

  test('has every section of its view, in that order, and an entry for each in the contents', async () => {
    expect(page.sections.length).toBeGreaterThan(8);
    expect(await textsOf(opened.tab, 'main h2')).toEqual(page.sections.map(({ title }) => title));
    expect(await textsOf(opened.tab, '.contents a')).toEqual(page.sections.map(({ title }) => title));
    for (const { id } of page.sections) expect(await opened.tab.locator(`section#${id}`).count()).toBe(1);
  });

  test('shows the key figures of the document', async () => {
    const names = await textsOf(opened.tab, '#figures .figure dt');
    const values = await textsOf(opened.tab, '#figures .figure .value');
    const shown = new Map(names.map((name, at) => [name, values[at]]));
    const { latency, outcomes, rates, retries } = result;
    const ended = latency.turn.count;
    expect(Object.fromEntries(shown)).toMatchObject({
      'turn p50': formatMs(latency.turn.p50Ms),
      'turn p95': formatMs(latency.turn.p95Ms),
      'turn p99': formatMs(latency.turn.p99Ms),
      'failed turns': `${formatCount(ended - outcomes.turns.ok)} of ${formatCount(ended)}`,
      'turns per second': formatPerSecond(rates.turnsPerSecond ?? NaN),
      'retry amplification': retries.amplification?.toFixed(3),
    });
  });

  test('shows every gate with its value', async () => {
    const rows = await tableOf('Gates');
    expect(rows.map(([, metric, , was]) => [metric, was])).toEqual(
      result.gates.map((gate) => [gate.metric, actualText(gate)]),
    );
    expect(rows.map(([word]) => word)).toEqual(
      result.gates.map(({ verdict }) => (verdict === 'pass' ? 'pass' : 'FAIL')),
    );
  });

  test('shows the latencies of every series', async () => {
    const rows = await tableOf('Latency by series');
    const { turn, effective } = result.latency;
    for (const [label, series] of Object.entries({ turn, effective }))
      expect(rows.find(([name]) => name === label)).toEqual([
        label,
        formatCount(series.count),
        ...[series.p50Ms, series.p90Ms, series.p95Ms, series.p99Ms].map((value) => formatMs(value)),
        ...(result.latency.attempt.p999Ms === null ? [] : [formatMs(series.p999Ms)]),
        formatMs(series.maxMs),
      ]);
  });

  test('shows all tables of its view, cell by cell', async () => {
    expect(await tablesOf(opened.tab)).toEqual(shownTables(page));
  });

  test('draws every chart of its view', async () => {
    const charts = page.sections.flatMap(({ blocks }) => blocks).flatMap((block) => ('id' in block ? [block.id] : []));
    expect(charts.length).toBeGreaterThan(10);
    for (const id of charts) {
      const picture = opened.tab.locator(`#chart-${id} .plot :is(canvas, svg)`).first();
      expect(await picture.boundingBox(), id).not.toBeNull();
    }
  });

  test('prints to pages of paper with all sections', async () => {
    const pdf = await opened.tab.pdf({ preferCSSPageSize: true, outline: true, tagged: true });
    const text = pdf.toString('latin1');
    expect(text.match(/\/Type \/Page\b(?!s)/g)?.length).toBeGreaterThan(3);
    for (const { title } of page.sections) expect(text).toContain(`/Title (${title})`);
  });

  test('folds the default options on the screen, and shows them on paper', async () => {
    const option = opened.tab.locator('details.fold:not(.part) td').first();
    expect(await option.isVisible()).toBe(false);
    await opened.tab.emulateMedia({ media: 'print' });
    await settled(opened.tab);
    expect(await option.isVisible()).toBe(true);
    await opened.tab.emulateMedia({ media: 'screen' });
    await opened.tab.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await opened.tab.locator('details.fold:not([open])').count()).toBe(0);
    await opened.tab.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await option.isVisible()).toBe(false);
  });

  test('truncates nothing on paper, however long a value is', async () => {
    // A4 without its margins, at 96 dots an inch.
    await opened.tab.setViewportSize({ width: 688, height: 900 });
    await opened.tab.emulateMedia({ media: 'print' });
    await settled(opened.tab);
    expect(await opened.tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(688);
    expect(await opened.tab.getByRole('button', { name: 'CSV' }).all()).toHaveLength(0);
  });

  test('makes no network request and causes no browser error', () => {
    expect(opened.requests).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });
});
