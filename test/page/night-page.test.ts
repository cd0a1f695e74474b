import { beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, useBrowser, type Opened } from '../support/browser.ts';
import { nightResult } from '../support/night-result.ts';
import { reportOf } from '../support/report-of.ts';
import { settled, textsOf } from '../support/shown-texts.ts';

describe.runIf(hasBrowser)('a night of 600 intervals in which every series has values', () => {
  const open = useBrowser();
  let html: string;
  let opened: Opened;
  let usableMs: number;

  beforeAll(async () => {
    html = await reportOf(nightResult());
    opened = await open(html);
    // The frame in which all charts have been drawn.
    usableMs = await opened.tab.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))',
    );
  });

  test('takes at most 3 MB', () => {
    expect(Buffer.byteLength(html)).toBeLessThan(3_000_000);
  });

  test('is usable soon after it is opened', () => {
    console.info(
      `a night's page: ${(Buffer.byteLength(html) / 1e6).toFixed(2)} MB, usable after ${usableMs.toFixed(0)} ms`,
    );
    // A guard against work that grows with its square; a machine that is busy with other things may need a while.
    expect(usableMs).toBeLessThan(10_000);
  });

  test('shows every chart, and follows the cursor and the zoom in all of them', async () => {
    const plot = opened.tab.locator('#chart-rates .plot');
    await plot.press('End');
    const instants = (await textsOf(opened.tab, ':is(#time, #load-time) .at')).map((text) =>
      text.replace(/^(at [^:]+):.*/, '$1'),
    );
    expect(new Set(instants).size).toBe(2);
    await plot.press('+');
    await settled(opened.tab);
    const charts = await opened.tab.locator(':is(#time, #load-time) .plot').count();
    expect(charts).toBeGreaterThan(10);
    expect(await opened.tab.getByRole('button', { name: 'show all' }).count()).toBe(charts);
    expect([opened.requests, opened.complaints]).toEqual([[], []]);
  });

  test('has a data table for its heat map with the maximum number of rows', async () => {
    await opened.tab.locator('#chart-heat').getByText('Table:').click();
    await settled(opened.tab);
    expect(await opened.tab.locator('#chart-heat .behind tbody tr').count()).toBe(1000);
  });
});
