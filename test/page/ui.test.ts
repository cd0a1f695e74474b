import { createRequire } from 'node:module';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openUi, type OpenUi } from '../../src/app/ui/open-ui.ts';
import { hasBrowser, useVisits, type Opened } from '../support/browser.ts';
import { makeFolder } from '../support/command.ts';
import { folderWith, listable, resultText } from '../support/results-folder.ts';
import { settled, textsOf } from '../support/shown-texts.ts';

const attack = '</script><img src=x onerror="window.attacked=1">';
const day = (at: number): string => String(at).padStart(2, '0');

const nights = Array.from({ length: 12 }, (_, at) =>
  listable({
    startedAt: `2026-01-${day(at + 1)}T02:00:00.000Z`,
    label: at < 6 ? 'v1' : 'v2',
    commit: `${at < 6 ? 'aaaa' : 'bbbb'}${'0'.repeat(36)}`,
  }),
);

const files = {
  ...Object.fromEntries(nights.map((night, at) => [`night-${day(at + 1)}.json`, night])),
  'hostile.json': listable({ label: attack, scenario: 'hostile', startedAt: '2025-12-31T00:00:00.000Z' }),
  'newer.json': { ...nights[0], schemaVersion: 9 },
};

const opened: OpenUi[] = [];
afterAll(() => opened.splice(0).forEach((ui) => ui.close()));

async function serve(folder: string): Promise<string> {
  const ui = await openUi({ folders: [folder], host: '127.0.0.1', port: 0 }, (thrown) => {
    throw thrown;
  });
  opened.push(ui);
  return ui.address;
}

const rows = '.results tbody tr';
const started = (tab: Tab): Promise<string[]> => textsOf(tab, `${rows} .started`);

/** Ticks a result by its side and the night of its run. */
const tick = (tab: Tab, side: 'base' | 'head', at: number): Promise<void> =>
  tab.getByRole('checkbox', { name: `${side}: peak 2026-01-${day(at)} 02:00:00` }).check();

const follow = async (tab: Tab, name: string): Promise<void> => {
  await tab.getByRole('link', { name, exact: true }).click();
  await tab.locator('main').waitFor();
};

describe.runIf(hasBrowser)('the results browser', () => {
  const visit = useVisits();
  let address: string;
  let seen: Opened;

  const list = async (query = ''): Promise<Tab> => {
    seen = await visit(`${address}${query}`);
    await seen.tab.locator(rows).first().waitFor();
    return seen.tab;
  };

  beforeAll(async () => {
    address = await serve(await folderWith(files));
  });

  test('lists results, the newest first, and makes no other network request', async () => {
    const tab = await list();
    const dates = (await started(tab)).map((text) => text.replace(/^file of /, ''));
    expect(dates).toHaveLength(14);
    expect(dates).toEqual(dates.toSorted().toReversed());
    expect(seen.requests.filter((each) => !each.startsWith(address))).toEqual([]);
    expect(seen.complaints).toEqual([]);
  });

  test('narrows the list by the search text, and keeps it in its address', async () => {
    const tab = await list();
    await tab.getByLabel('Label', { exact: true }).fill('v2');
    await tab.getByLabel('Scenario', { exact: true }).selectOption('peak');
    await settled(tab);
    expect(await started(tab)).toHaveLength(6);
    await tab.reload();
    await tab.locator(rows).first().waitFor();
    expect(await textsOf(tab, '.count')).toEqual(['6 of 13 results, 0 of 1 unreadable file Show all']);
    await tab.getByLabel('Commit', { exact: true }).fill('aaaa');
    expect(await started(tab)).toEqual([]);
    await tab.getByRole('button', { name: 'Show all' }).click();
    expect(await started(tab)).toHaveLength(14);
    await tab.getByLabel('Verdict', { exact: true }).selectOption('UNREADABLE');
    expect(await started(tab)).toHaveLength(1);
  });

  test('shows a degraded run as the report page does, and finds it by its verdict', async () => {
    const clean = { ...listable({}), validity: { verdict: 'valid' as const, reasons: [] } };
    const degraded = { ...listable({}), validity: { verdict: 'degraded' as const, reasons: [] } };
    const { tab } = await visit(await serve(await folderWith({ 'clean.json': clean, 'slow.json': degraded })));
    await tab.locator(rows).first().waitFor();
    await tab.getByLabel('Verdict', { exact: true }).selectOption('PASSED, degraded');
    await settled(tab);
    expect(await textsOf(tab, `${rows} .verdict-cell`)).toEqual([expect.stringMatching(/^!PASSED, degraded /)]);
    expect(new URL(tab.url()).search).toBe('?verdict=DEGRADED');
    const colour = (sign: string) => tab.evaluate(`getComputedStyle(document.querySelector('${sign}')).color`);
    const listed = await colour(`${rows} .sign`);
    await tab.locator(`${rows} .started a`).click();
    await tab.locator('.verdict[data-state="doubtful"]').waitFor();
    expect(listed).toMatch(/^rgb/);
    expect(await colour('.verdict .sign')).toBe(listed);
  });

  test('compares the selected results, several per side, and keeps the selection on return', async () => {
    const tab = await list('?label=v');
    expect(await tab.getByRole('button', { name: 'Compare' }).isDisabled()).toBe(true);
    for (const at of [1, 2]) await tick(tab, 'base', at);
    for (const at of [7, 8]) await tick(tab, 'head', at);
    await follow(tab, 'Compare');
    const [sentence] = await textsOf(tab, '.verdict .sentence');
    expect(sentence).not.toBe('');
    expect(await textsOf(tab, 'h1')).toEqual([expect.stringMatching(/v2 against v1/)]);
    await tab.goBack();
    await tab.locator(rows).first().waitFor();
    expect(await textsOf(tab, '.compare [role=status]')).toEqual(['Base 2, head 2']);
  });

  test('selects by keyboard', async () => {
    const tab = await list();
    await tab.locator(`${rows}:has-text("v2") input`).first().focus();
    await tab.keyboard.press('Space');
    await tab.keyboard.press('Tab');
    expect(await textsOf(tab, '.compare [role=status]')).toEqual([expect.stringMatching(/^Base 1, head 0/)]);
  });

  test('shows the trend of a metric over nights', async () => {
    const tab = await list();
    await tab.getByLabel('Trend of scenario').selectOption('peak');
    await tab.getByLabel('Metric').selectOption('rates.turnsPerSecond');
    await follow(tab, 'Show trend');
    expect((await textsOf(tab, '.chart .title')).join()).toContain('rates.turnsPerSecond');
  });

  test('keeps the selected trend on return', async () => {
    const tab = await list();
    await tab.getByLabel('Trend of scenario').selectOption('peak');
    await tab.getByLabel('Metric').selectOption('rates.turnsPerSecond');
    await follow(tab, 'Show trend');
    await tab.goBack();
    await tab.locator(rows).first().waitFor();
    expect(await tab.getByLabel('Trend of scenario').inputValue()).toBe('peak');
    expect(await tab.getByLabel('Metric').inputValue()).toBe('rates.turnsPerSecond');
  });

  test('shows the name of a file in at most two lines, and a commit in one, at 1280 px, next to first tokens', async () => {
    const name = 'agent-chat-nightly-20260131T142530Z-release-2.json';
    const commit = '0123456789abcdef';
    const result = listable({ commit, label: 'release-2', scenario: 'agent-chat-nightly' });
    const streamed = { ...result, latency: { ...result.latency, firstToken: result.latency.turn } };
    const { tab } = await visit(await serve(await folderWith({ [name]: streamed })));
    await tab.setViewportSize({ width: 1280, height: 900 });
    await tab.locator(rows).first().waitFor();
    const linesOf = (head: string) =>
      tab.evaluate(`{
        const text = document.createRange();
        text.selectNodeContents(document.querySelector('${rows} [data-head=${head}]'));
        text.getClientRects().length;
      }`);
    expect(await linesOf('File')).toBeLessThanOrEqual(2);
    expect(await linesOf('Commit')).toBe(1);
    const heads = await tab.locator('.results thead').innerText();
    expect(heads).toMatch(/First\s+token\s+p95/);
    expect(heads).toContain('Turns/s');
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1280);
  });

  test('opens the report of a result', async () => {
    const tab = await list();
    await tab.getByRole('link', { name: 'Report of peak, 2026-01-12 02:00:00' }).click();
    await tab.locator('.verdict').waitFor();
    expect(await textsOf(tab, 'h1')).toEqual(['peak (v2)']);
    expect(seen.complaints).toEqual([]);
  });

  test('shows a hostile label as text', async () => {
    const tab = await list();
    expect(await textsOf(tab, `${rows} td`)).toContain(attack);
    expect(await tab.locator('img').count()).toBe(0);
    expect(await tab.evaluate('window.attacked')).toBeUndefined();
  });

  test('shows the verdict of the terminal for a newer result, in the list and if it is opened', async () => {
    const tab = await list('?verdict=UNREADABLE');
    expect(await started(tab)).toEqual([expect.stringMatching(/^file of \d{4}-/)]);
    expect(await textsOf(tab, `${rows} .reason`)).toEqual([expect.stringContaining('is a result of schema version 9')]);
    await tab.locator(`${rows} .started a`).click();
    await tab.locator('.error').waitFor();
    expect(await textsOf(tab, 'h1')).toEqual([expect.stringMatching(/^error .*newer\.json is a result of schema/)]);
    await follow(tab, 'All results');
    await tab.locator(rows).first().waitFor();
  });

  test('shows new results without a reload', async () => {
    const folder = await folderWith({ 'a.json': listable({ label: 'first' }) });
    const { tab } = await visit(await serve(folder));
    await tab.locator(rows).first().waitFor();
    await writeFile(join(folder, 'b.json'), resultText(listable({ label: 'second' })));
    await tab.locator(`${rows}:has-text("second")`).waitFor();
    expect(await started(tab)).toHaveLength(2);
  });

  test('shows the message of the terminal for an empty folder', async () => {
    const { tab } = await visit(await serve(await makeFolder()));
    await tab.locator('.verdict').waitFor();
    expect(await textsOf(tab, '.verdict .sentence')).toEqual([expect.stringMatching(/^error No result in/)]);
  });
});

describe.runIf(hasBrowser)('the results browser, for any reader', () => {
  const visit = useVisits();
  let tab: Tab;

  beforeAll(async () => {
    // The content security policy of the page forbids injecting the checker.
    ({ tab } = await visit(await serve(await folderWith(files)), { bypassCSP: true }));
    await tab.locator(rows).first().waitFor();
    await tab.addScriptTag({ path: createRequire(import.meta.url).resolve('axe-core/axe.min.js') });
    await tick(tab, 'base', 1);
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no serious finding by axe-core in the %s theme at %d px', async (colorScheme, width) => {
    await tab.setViewportSize({ width, height: 900 });
    await tab.emulateMedia({ colorScheme });
    await settled(tab);
    const { violations, passes } = await tab.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
    expect(passes.map(({ id }) => id)).toContain('color-contrast');
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => [id, nodes.slice(0, 5).map(({ html }) => html)])).toEqual([]);
  });

  test.each([2560, 1280, 901, 390])('scrolls only downwards at %d px', async (width) => {
    await tab.setViewportSize({ width, height: 900 });
    await settled(tab);
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  });
});
