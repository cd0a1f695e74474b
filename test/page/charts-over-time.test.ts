import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Locator } from 'playwright-core';
import type { TimeBlock } from '../../src/report/page/page.ts';
import { attemptClassNames } from '../../src/protocol/outcome.ts';
import { viewResults } from '../../src/report/run/result-outline.ts';
import type { Result } from '../../src/result/result.ts';
import { sumOf } from '../../src/statistics/averages.ts';
import { hasBrowser, useBrowser, type Opened } from '../support/browser.ts';
import { blocksOf } from '../support/page-parts.ts';
import { peakResult } from '../support/peak-result.ts';
import { reportOf } from '../support/report-of.ts';
import { settled, textsOf } from '../support/shown-texts.ts';

describe.runIf(hasBrowser)('charts over time', () => {
  const open = useBrowser();
  let result: Result;
  let charts: readonly TimeBlock[];
  let html: string;
  let opened: Opened;

  beforeAll(async () => {
    result = await peakResult();
    charts = blocksOf(viewResults([result]), 'time');
    html = await reportOf(result);
    opened = await open(html);
  });
  const chart = (id: string): Locator => opened.tab.locator(`#chart-${id}`);
  const plot = (id: string): Locator => chart(id).locator('.plot');
  const resets = (): Locator => opened.tab.getByRole('button', { name: 'show all' });
  /** Returns the text of each time chart for the selected instant. */
  const instants = (): Promise<string[]> => textsOf(opened.tab, ':is(#time, #load-time) .at');
  const overTime = (): number => charts.length + 2;

  beforeEach(async () => {
    await plot('rates').press('0');
    await plot('rates').press('Home');
    await settled(opened.tab);
  });

  /** Drags over a plot from one share of its width to another. */
  async function drag(id: string, [from, to]: readonly [number, number]): Promise<void> {
    await plot(id).scrollIntoViewIfNeeded();
    const box = await plot(id).boundingBox();
    if (box === null) throw new Error(`${id} is not drawn`);
    const y = box.y + box.height / 2;
    await opened.tab.mouse.move(box.x + box.width * from, y);
    await opened.tab.mouse.down();
    await opened.tab.mouse.move(box.x + box.width * to, y, { steps: 5 });
    await opened.tab.mouse.up();
    await settled(opened.tab);
  }

  test('follow one cursor: an arrow key in one of them reads the next interval in all', async () => {
    await plot('rates').press('ArrowRight');
    const [heat, ...others] = (await instants()).toSorted();
    // Intervals last a second; the heat map names both ends of one.
    expect(heat).toMatch(/^1 s to 2 s: \d+ values;/);
    // A single line has its value next to the instant, instead of a legend.
    const read = others.map((text) => text.replace(/: \S+( \S+)?$/, ''));
    expect(read).toEqual(Array.from({ length: overTime() - 1 }, () => 'at 1.5 s'));
  });

  test('read the values of the document by keyboard', async () => {
    await plot('rates').press('ArrowRight');
    const values = await textsOf(opened.tab, '#chart-rates .legend .value');
    const labels = await textsOf(opened.tab, '#chart-rates .legend button');
    const second = result.intervals[1];
    expect(labels[0]).toBe(`sent${values[0] ?? ''}`);
    expect(Number.parseFloat(values[0] ?? '')).toBeCloseTo(
      ((second?.turns.sent ?? NaN) / (second?.lengthMs ?? 1)) * 1000,
      0,
    );
  });

  test.each([['rates'], ['heat'], ['lateness']])('have one zoom, by dragging in %s, and one reset', async (id) => {
    expect(await resets().count()).toBe(0);
    await drag(id, [0.3, 0.6]);
    expect(await resets().count()).toBe(overTime());
    const texts = new Set(await resets().allInnerTexts());
    expect(texts.size).toBe(1);
    await resets().first().click();
    await settled(opened.tab);
    expect(await resets().count()).toBe(0);
  });

  test('zoom about the cursor by keyboard, and back', async () => {
    const ends = (texts: readonly string[]): number[] => (texts[0]?.match(/[\d.]+(?= s)/g) ?? []).map(Number);
    for (const key of ['End', 'ArrowLeft', '+', '+']) await plot('heat').press(key);
    await settled(opened.tab);
    const texts = await resets().allInnerTexts();
    expect(texts).toHaveLength(overTime());
    const [from = NaN, to = NaN] = ends(texts);
    expect(to - from).toBeLessThan(result.run.durationMs / 1000 / 3);
    await plot('lateness').press('-');
    await plot('lateness').press('-');
    await plot('lateness').press('Escape');
    await settled(opened.tab);
    expect(await resets().count()).toBe(0);
  });

  test('hide a series that is switched off, and only in that chart', async () => {
    const pixels = async (id: string): Promise<string> =>
      (await chart(id).locator('canvas').screenshot()).toString('base64');
    const [all, other] = [await pixels('rates'), await pixels('lateness')];
    const sent = chart('rates').getByRole('button', { name: /^sent/ });
    await sent.click();
    await settled(opened.tab);
    expect(await sent.getAttribute('aria-pressed')).toBe('false');
    expect(await pixels('rates')).not.toBe(all);
    expect(await pixels('lateness')).toBe(other);
    await sent.click();
    await settled(opened.tab);
    expect(await sent.getAttribute('aria-pressed')).toBe('true');
  });

  /** The saved data of a chart: cells keyed by column heading. */
  async function saved(id: string): Promise<Record<string, string>[]> {
    const [download] = await Promise.all([
      opened.tab.waitForEvent('download'),
      chart(id).getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${id}.csv`);
    const rows: Record<string, string>[] = parse(await readFile(await download.path()), { columns: true });
    return rows;
  }

  /** A rate over the intervals of the run, as the number that it makes. */
  const numberOf = (rows: readonly Record<string, string>[], column: string): number =>
    sumOf(rows.map((row, at) => (Number(row[column]) * (result.intervals[at]?.lengthMs ?? NaN)) / 1000));

  test('save their data as CSV, which sums up to the result', async () => {
    const rates = await saved('rates');
    const { turn } = result.latency;
    expect(rates).toHaveLength(result.intervals.length);
    // Rates have four digits.
    expect(numberOf(rates, 'sent (perSecond)')).toBeCloseTo(turn.count, -1);
    expect(numberOf(rates, 'ok (perSecond)')).toBeCloseTo(turn.ok.count, -1);
    expect(Math.round(numberOf(rates, 'failed (perSecond)'))).toBe(turn.failed.count);
  });

  test('count in the CSV of the heat map every turn of the result once', async () => {
    const cells = await saved('heat');
    expect(sumOf(cells.map(({ count }) => Number(count)))).toBe(result.latency.turn.count);
  });

  test('save each class of a stacked chart separately, not cumulatively', async () => {
    const rows = await saved('attempt-outcomes');
    const labels = charts.find(({ id }) => id === 'attempt-outcomes')?.series.map(({ label }) => label) ?? [];
    const attempts = attemptClassNames
      .map((name) => [name, result.outcomes.attempts[name]] as const)
      .filter(([name, count]) => name !== 'ok' && count > 0);
    expect(attempts.length).toBeGreaterThan(1);
    expect(labels.toSorted()).toEqual(attempts.map(([name]) => name).toSorted());
    for (const [name, count] of attempts) expect(numberOf(rows, `${name} (perSecond)`) / count, name).toBeCloseTo(1, 2);
  });

  test('copy a picture of the size of the chart, at twice its resolution', async () => {
    const { tab } = await open(html, { permissions: ['clipboard-read', 'clipboard-write'] });
    for (const id of ['rates', 'heat', 'percentile-curve']) {
      await tab.locator(`#chart-${id}`).getByRole('button', { name: 'PNG' }).click();
      await tab.locator(`#chart-${id}`).getByText('Copied as PNG.').waitFor();
      const copied = await tab.evaluate<number[]>(`navigator.clipboard.read()
        .then(([item]) => item.getType('image/png'))
        .then((blob) => createImageBitmap(blob))
        .then((picture) => [picture.width, picture.height])`);
      expect(copied, id).toEqual(await pictureSize(id));
    }
  });

  test('save the picture as a file if the browser does not let the page copy', async () => {
    const { tab } = await open(html, { permissions: [] });
    const [download] = await Promise.all([
      tab.waitForEvent('download'),
      tab.locator('#chart-rates').getByRole('button', { name: 'PNG' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('rates.png');
    const file = await readFile(await download.path());
    expect([file.readUInt32BE(16), file.readUInt32BE(20)]).toEqual(await pictureSize('rates'));
  });

  /** Returns the size of the drawing, with a margin of 16 and a title of 28 above, at twice the resolution. */
  async function pictureSize(id: string): Promise<number[]> {
    const { width = NaN, height = NaN } = (await plot(id).locator('canvas, svg').first().boundingBox()) ?? {};
    return [width + 32, height + 28 + 32].map((length) => Math.floor(length * 2));
  }

  test('have a data table with the same figures', async () => {
    await chart('rates').getByText('Table:').click();
    const rows = await textsOf(opened.tab, '#chart-rates .behind tbody tr');
    expect(rows).toHaveLength(result.intervals.length);
    expect(opened.complaints).toEqual([]);
  });
});
