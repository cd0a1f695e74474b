import { beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, useBrowser, type Opened } from '../support/browser.ts';
import { peakResult } from '../support/peak-result.ts';
import { reportOf } from '../support/report-of.ts';
import { settled } from '../support/shown-texts.ts';

const viewport = { width: 390, height: 800 };

describe.runIf(hasBrowser)('the page of a run on a phone', () => {
  const open = useBrowser();
  let opened: Opened;

  beforeAll(async () => {
    opened = await open(await reportOf(await peakResult()), { viewport });
  });

  const isOpen = async (id: string): Promise<boolean> =>
    (await opened.tab.locator(`#${id} > details.part[open]`).count()) === 1;

  test('keeps key figures, gates, latency and failures open, and folds all other sections', async () => {
    const idsOf = (selector: string): Promise<string[]> =>
      opened.tab.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map(({ id }) => id)`);
    expect(await idsOf('main > section:not(:has(> details.part:not([open])))')).toEqual(
      expect.arrayContaining(['figures', 'gates', 'time', 'percentiles', 'outcomes', 'examples']),
    );
    expect(await idsOf('main > section:has(> details.part:not([open]))')).toEqual(
      expect.arrayContaining(['positions', 'load-time', 'integrity', 'plan', 'environment', 'books']),
    );
  });

  test('breaks no line between a value and its unit', async () => {
    const broken = await opened.tab.evaluate(`[...document.querySelectorAll('h1, p, dt, dd, th, td, summary')]
      .flatMap((element) => [...element.childNodes])
      .filter(({ nodeType, data }) => nodeType === Node.TEXT_NODE && /\\d (%|m?s|[kM]?B)(?![\\w/])/.test(data))
      .map(({ data }) => data)`);
    expect(broken).toEqual([]);
  });

  test('lets no text run into the next column of a table', async () => {
    const overflowing = await opened.tab.evaluate(`{
      const folds = [...document.querySelectorAll('details:not(.behind, [open])')];
      for (const fold of folds) fold.open = true;
      const wide = [...document.querySelectorAll('.scroll :is(th, td)')].filter((cell) => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        return text.getBoundingClientRect().right > cell.getBoundingClientRect().right + 1;
      });
      for (const fold of folds) fold.open = false;
      wide.map((cell) => cell.textContent);
    }`);
    expect(overflowing).toEqual([]);
  });

  test('breaks long names after a dot', async () => {
    const breaks = await opened.tab.evaluate(
      `[...document.querySelectorAll('#plan th')].find(({ textContent }) => textContent === 'embedded.maxTurnsPerSession')?.querySelectorAll('wbr').length`,
    );
    expect(breaks).toBe(1);
  });

  test('opens a section by keyboard, and draws its charts', async () => {
    await opened.tab.locator('#load-time summary').first().focus();
    await opened.tab.keyboard.press('Enter');
    await settled(opened.tab);
    expect(await isOpen('load-time')).toBe(true);
    const box = await opened.tab.locator('#chart-sessions-live .plot').boundingBox();
    expect(box?.width).toBeGreaterThan(300);
  });

  test('opens the section that a link of the contents points at, also after it was closed', async () => {
    const link = opened.tab.locator('.contents a[href="#plan"]');
    await link.click();
    expect(await isOpen('plan')).toBe(true);
    await opened.tab.locator('#plan > details > summary').click();
    expect(await isOpen('plan')).toBe(false);
    await link.click();
    await settled(opened.tab);
    expect(await isOpen('plan')).toBe(true);
    const box = await opened.tab.locator('#plan h2').boundingBox();
    expect(box?.y).toBeLessThan(viewport.height);
  });

  test('opens the section in which the hash of its address lies', async () => {
    await opened.tab.evaluate("location.hash = 'chart-positions-p95'");
    await settled(opened.tab);
    expect(await isOpen('positions')).toBe(true);
  });

  test('opens all sections while it is printed', async () => {
    await opened.tab.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await opened.tab.locator('details.part:not([open])').count()).toBe(0);
    await opened.tab.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await isOpen('books')).toBe(false);
  });

  test('folds no section on a wide page, and keeps the choices of its reader for the narrow one', async () => {
    const folded = (): Promise<number> => opened.tab.locator('details.part:not([open])').count();
    const before = await folded();
    expect(await isOpen('load-time')).toBe(true);
    await opened.tab.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(folded).toBe(0);
    await opened.tab.setViewportSize(viewport);
    await expect.poll(folded).toBe(before);
    expect(await isOpen('load-time')).toBe(true);
    expect(opened.complaints).toEqual([]);
  });
});
