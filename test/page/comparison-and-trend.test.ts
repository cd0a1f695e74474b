import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import type { Page as Tab } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { viewComparison } from '../../src/report/comparison/comparison-outline.ts';
import { viewTrend } from '../../src/report/trend/trend-outline.ts';
import { hasBrowser, useBrowser, type Opened } from '../support/browser.ts';
import { blocksOf, sectionOf, shownTables } from '../support/page-parts.ts';
import { reportOf } from '../support/report-of.ts';
import { steppedTrend } from '../support/stepped-trend.ts';
import { tablesOf, textsOf } from '../support/shown-texts.ts';
import { regressed } from '../support/synthetic-comparison.ts';

/** The saved data of a chart: rows of cells keyed by column heading. */
async function saved(tab: Tab, id: string): Promise<Record<string, string>[]> {
  const [download] = await Promise.all([
    tab.waitForEvent('download'),
    tab.locator(`#chart-${id}`).getByRole('button', { name: 'CSV' }).click(),
  ]);
  const rows: Record<string, string>[] = parse(await readFile(await download.path()), { columns: true });
  return rows;
}

describe.runIf(hasBrowser)('the page of a comparison that regressed in the tail', () => {
  const open = useBrowser();
  const page = viewComparison(regressed);
  const forests = ['metrics', 'informational'].flatMap((id) => blocksOf(sectionOf(page, id), 'ranges'));
  let opened: Opened;

  beforeAll(async () => {
    opened = await open(await reportOf(regressed));
  });

  test('states the regression first, and names the metrics', async () => {
    expect(await textsOf(opened.tab, '.verdict .sentence')).toEqual([`✗${page.verdict.sentence}`]);
    expect(page.verdict.sentence).toContain('turn.ok.p99 +52.9 %');
  });

  test('draws a row for every metric of the document, with the verdict of gated metrics', async () => {
    const titles = (await Promise.all(forests.map(({ id }) => textsOf(opened.tab, `#chart-${id} .plot title`)))).flat();
    expect(titles).toHaveLength(regressed.metrics.length);
    for (const { name, verdict, isGated } of regressed.metrics)
      expect(titles.find((title) => title.startsWith(`${name}: `))).toContain(isGated ? verdict : '');
  });

  test('draws each change and its interval where the document has it', async () => {
    const rows: Record<string, string>[] = [];
    for (const { id } of forests) rows.push(...(await saved(opened.tab, id)));
    expect(rows).toHaveLength(regressed.metrics.length);
    for (const { name, change, ci95, margin } of regressed.metrics) {
      const { low, high, margin: band, ...row } = rows.find((each) => each['row'] === name) ?? {};
      const value = row['value (change)'] ?? row['value (points)'];
      expect([value, low, high, band].map(Number), name).toEqual([change, ci95?.low, ci95?.high, margin]);
    }
  });

  test('shows all tables of its view, cell by cell', async () => {
    expect(await tablesOf(opened.tab)).toEqual(shownTables(page));
  });

  test('makes no network request and causes no browser error', () => {
    expect([opened.requests, opened.complaints]).toEqual([[], []]);
  });
});

describe.runIf(hasBrowser)('the page of a trend with a change point', () => {
  const open = useBrowser();
  const trend = steppedTrend();
  const page = viewTrend(trend);
  const p99 = blocksOf(page, 'lines').find(({ title }) => title === 'turn.ok.p99');
  let opened: Opened;

  beforeAll(async () => {
    opened = await open(await reportOf(trend));
  });

  test('marks it on the metric that changed, with its night and commits', async () => {
    const chart = `#chart-${p99?.id ?? ''}`;
    const [mark] = p99?.marks ?? [];
    expect((await textsOf(opened.tab, chart))[0]).toContain(mark?.label);
    expect(mark?.label).toMatch(/^2026-10-26.*commit-24\.\.commit-25$/);
    for (const { id, title } of blocksOf(page, 'lines').filter(({ marks }) => marks.length === 0))
      expect((await textsOf(opened.tab, `#chart-${id}`))[0], title).not.toContain('2026-10-26: ');
  });

  test('includes every night of the document in the data table of its chart', async () => {
    const rows = await saved(opened.tab, p99?.id ?? '');
    const metric = trend.groups[0]?.metrics.find(({ name }) => name === 'turn.ok.p99');
    const nights = rows.filter((row) => row['series'] === p99?.series[0]?.label);
    expect(nights.map((row) => Number(row['value (ms)']))).toEqual(metric?.points.map(({ value }) => value));
  });

  test('reads a night by keyboard', async () => {
    const plot = opened.tab.locator(`#chart-${p99?.id ?? ''} .plot`);
    await plot.press('End');
    const [said] = await textsOf(opened.tab, `#chart-${p99?.id ?? ''} .at`);
    expect(said).toContain(trend.groups[0]?.nights.at(-1)?.date);
  });

  test('shows all tables of its view, cell by cell', async () => {
    expect(await tablesOf(opened.tab)).toEqual(shownTables(page));
  });

  test('makes no network request and causes no browser error', () => {
    expect([opened.requests, opened.complaints]).toEqual([[], []]);
  });
});
