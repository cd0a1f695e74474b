import { beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { hasBrowser, useBrowser, type Opened } from '../support/browser.ts';
import { peakResult } from '../support/peak-result.ts';
import { reportOf } from '../support/report-of.ts';
import { hostileOne } from '../support/synthetic-comparison.ts';
import { settled, tablesOf, textsOf } from '../support/shown-texts.ts';

const attack = '</script><!--<script><img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
const hostile = `${attack}\u202e\u2066 javascript:window.attacked=1 "'\``;
/** The attack as displayed: the page removes characters that change the direction of text. */
const shownText = `${attack} javascript:window.attacked=1 "'\``;

describe.runIf(hasBrowser)('a hostile result, in a browser', () => {
  const open = useBrowser();
  let opened: Opened;

  beforeAll(async () => {
    const result = await peakResult();
    opened = await open(await reportOf(poisoned(result)));
  });
  const attacked = (): Promise<unknown> => opened.tab.evaluate('window.attacked');

  test('runs no script of its own, and loads nothing', async () => {
    expect(await attacked()).toBeUndefined();
    expect(await opened.tab.locator('img').count()).toBe(0);
    expect([opened.requests, opened.complaints]).toEqual([[], []]);
  });

  test('is shown as text everywhere', async () => {
    expect(await textsOf(opened.tab, 'h1')).toEqual([expect.stringContaining(shownText)]);
    expect(await opened.tab.title()).toContain(shownText);
    const tables = await tablesOf(opened.tab);
    const cells = tables.flatMap(({ rows }) => rows.flat());
    expect(cells.filter((cell) => cell.includes(shownText)).length).toBeGreaterThan(3);
  });

  test('cannot turn the direction of surrounding text', async () => {
    const text = await opened.tab.evaluate<string>('document.documentElement.textContent');
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  test('still has the content of every report, below 390 px too', async () => {
    expect((await textsOf(opened.tab, 'main h2')).length).toBeGreaterThan(8);
    await opened.tab.setViewportSize({ width: 390, height: 800 });
    await settled(opened.tab);
    expect(await opened.tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  test('lists only the first of 100,000 examples', async () => {
    const table = (await tablesOf(opened.tab)).find(({ caption }) => caption.includes('examples'));
    expect(table?.caption).toBe('500 of 100,000 distinct examples');
    expect(table?.rows).toHaveLength(500);
  });
});

describe.runIf(hasBrowser)('a hostile comparison, in a browser', () => {
  const open = useBrowser();

  test('runs no script of its own, and shows as text', async () => {
    const { tab, requests, complaints } = await open(await reportOf(hostileOne));
    expect(await tab.locator('img').count()).toBe(0);
    expect(await tab.evaluate<string>('document.body.textContent')).toContain('<img src=x onerror="alert(1)">');
    expect([requests, complaints]).toEqual([[], []]);
  });
});

function poisoned(result: Result): Result {
  const [example] = result.examples;
  if (example === undefined) throw new Error('there is no example');
  const each = { ...example, detail: hostile, texts: { message: hostile, reply: hostile } };
  return {
    ...result,
    run: { ...result.run, label: hostile },
    scenario: { ...result.scenario, name: hostile },
    examples: Array.from({ length: 100_000 }, (_, at) => ({ ...each, detail: `${hostile} ${String(at)}` })),
    warnings: [{ code: 'hostile', message: hostile, remedy: hostile }],
  };
}
