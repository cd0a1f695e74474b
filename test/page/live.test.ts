import type { AxeResults } from 'axe-core';
import { createRequire } from 'node:module';
import type { Page as Tab } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printableTexts } from '../../src/base/printable.ts';
import { viewResults } from '../../src/report/run/result-outline.ts';
import { breakableLine, type BreakableLine } from '../support/breakable-line.ts';
import { hasBrowser, useVisits, type Opened } from '../support/browser.ts';
import { makeFolder, readResult, startCommand, writeScenario } from '../support/command.ts';
import { liveAddress } from '../support/live-address.ts';
import { blocksOf } from '../support/page-parts.ts';
import { settled, textsOf } from '../support/shown-texts.ts';
import { patient, waitMs } from '../support/deadline.ts';

/** Ends by a button, not by its duration. */
const scenario = (think: string): string => `{
  name: 'followed', duration: '2m', gracePeriod: '30s', messages: ['Where is my order?'],
  load: { concurrency: 2 }, turns: 3, thinkTime: '${think}', embedded: { latency: '40ms' },
}`;

/** A run that is followed. */
async function startRun(think = '20ms') {
  const out = await makeFolder();
  const command = startCommand(['run', await writeScenario(out, scenario(think)), '--out', out, '--live', '--quiet']);
  return { ...command, out, address: await liveAddress(command) };
}
type Run = Awaited<ReturnType<typeof startRun>>;

const stop = async ({ child, ended }: Run): Promise<void> => {
  child.kill('SIGKILL');
  await ended;
};

/** Returns the seconds listed in the data table of the chart. */
async function rowsOf(tab: Tab): Promise<number[]> {
  const table = tab.locator('#chart-rates .behind');
  if ((await table.getAttribute('open')) === null) await table.locator('summary').click();
  return (await textsOf(tab, '#chart-rates .behind tbody td:first-child')).map((second) => Math.floor(Number(second)));
}

const growsTo = (tab: Tab, rows: number): Promise<void> =>
  expect.poll(async () => (await rowsOf(tab)).length, patient).toBeGreaterThanOrEqual(rows);

const figuresOf = (tab: Tab): Promise<string[]> => textsOf(tab, '#figures .figure .value');
const says = (tab: Tab, text: string): Promise<void> =>
  tab.locator('.live .state', { hasText: text }).waitFor({ timeout: waitMs });
const firstSeconds = (rows: number): number[] => Array.from({ length: rows }, (_, second) => second);

describe.runIf(hasBrowser)('a run in progress, in a browser', () => {
  const open = useVisits();
  let run: Run;

  beforeAll(async () => (run = await startRun()));
  afterAll(() => stop(run));

  test('adds rows and figures, and requests only its events', async () => {
    const { tab, requests, complaints } = await open(run.address);
    const [figures, rows] = [await figuresOf(tab), (await rowsOf(tab)).length];
    await growsTo(tab, rows + 2);
    await expect.poll(() => figuresOf(tab), patient).not.toEqual(figures);
    expect(await tab.title()).toMatch(/^followed: RUNNING/);
    expect([requests, complaints]).toEqual([[`${run.address}events`], []]);
  });

  test('is complete for a viewer who connects late', async () => {
    const early = await open(run.address);
    const grown = (await rowsOf(early.tab)).length + 2;
    await growsTo(early.tab, grown);
    const late = await open(run.address);
    const rows = await rowsOf(late.tab);
    expect(rows.length).toBeGreaterThanOrEqual(grown);
    expect(rows).toEqual(firstSeconds(rows.length));
  });

  test('keeps opened sections and selections unchanged', async () => {
    const { tab } = await open(run.address);
    const { length } = await rowsOf(tab);
    const shown = tab.locator('#chart-rates').getByRole('button', { pressed: true });
    await shown.first().click();
    const chosen = await shown.count();
    await growsTo(tab, length + 1);
    expect([await tab.locator('#chart-rates .behind').getAttribute('open'), await shown.count()]).toEqual(['', chosen]);
  });

  test.each(['light', 'dark'] as const)('has no serious finding by axe-core in the %s theme', async (colorScheme) => {
    const { tab } = await open(run.address, { bypassCSP: true, colorScheme });
    await tab.addScriptTag({ path: createRequire(import.meta.url).resolve('axe-core/axe.min.js') });
    await growsTo(tab, 1);
    const { violations, passes } = await tab.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
    expect(passes.map(({ id }) => id)).toContain('color-contrast');
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  });

  test('fits a telephone', async () => {
    const { tab } = await open(run.address, { viewport: { width: 390, height: 800 } });
    await growsTo(tab, 1);
    await settled(tab);
    expect(await tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});

describe.runIf(hasBrowser)('a viewer who loses the connection', () => {
  const open = useVisits();
  let run: Run;
  let line: BreakableLine;

  beforeAll(async () => ([run, line] = await Promise.all([startRun(), breakableLine()])));
  afterAll(async () => {
    line.close();
    await stop(run);
  });

  test('is notified, does not affect the run, and receives every row after reconnecting', async () => {
    const proxy = { server: line.server, bypass: '<-loopback>' };
    const [{ tab }, steady] = await Promise.all([open(run.address, { proxy }), open(run.address)]);
    await growsTo(tab, 1);
    line.break();
    await says(tab, 'Connection lost, reconnecting.');
    expect(await tab.getByRole('button', { name: 'Drain' }).isDisabled()).toBe(true);
    const lost = (await rowsOf(tab)).length;
    await growsTo(steady.tab, lost + 2);
    expect(await rowsOf(tab)).toHaveLength(lost);
    line.mend();
    await says(tab, 'Running.');
    await growsTo(tab, lost + 2);
    const rows = await rowsOf(tab);
    expect(rows).toEqual(firstSeconds(rows.length));
    expect(await tab.getByRole('button', { name: 'Drain' }).isEnabled()).toBe(true);
  });
});

describe.runIf(hasBrowser)('the buttons of a live page', () => {
  const open = useVisits();

  /** Follows a run until a button has stopped it, and it has become its report. */
  async function pressed(button: 'Drain' | 'Cut', during: (opened: Opened) => Promise<void>, think?: string) {
    const run = await startRun(think);
    try {
      const opened = await open(run.address);
      await growsTo(opened.tab, 1);
      await opened.tab.getByRole('button', { name: button }).click();
      if (button === 'Cut') await opened.tab.getByRole('button', { name: 'Cut now' }).click();
      await during(opened);
      await says(opened.tab, 'The run has ended');
      const { code } = await run.ended;
      return { ...opened, code, result: await readResult(run.out) };
    } finally {
      await stop(run);
    }
  }

  test('drain the run, and the page becomes the report of its result', async () => {
    const { tab, code, result, complaints } = await pressed('Drain', ({ tab: shown }) => says(shown, 'Draining'), '1s');
    expect([code, result.run.stop?.reason]).toEqual([130, 'stopped by Drain on the live page']);
    expect(result.books.sessions.cut).toBe(0);
    const page = printableTexts(viewResults([result]));
    const figures = blocksOf(page, 'figures').flatMap((block) => block.figures.map(({ text }) => text));
    expect(await figuresOf(tab)).toEqual(figures);
    expect(await textsOf(tab, 'main h2')).toEqual(page.sections.map(({ title }) => title));
    // A last row of a few ms is in no chart.
    const rows = page.timelines[0]?.startMs.length ?? 0;
    expect([rows - 1, rows]).toContain((await rowsOf(tab)).length);
    expect(await tab.getByRole('button', { name: 'Drain' }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('cut the run', async () => {
    const { tab, code, result } = await pressed('Cut', () => Promise.resolve(), '60s');
    expect([code, result.run.stop?.reason]).toEqual([130, 'stopped by Cut on the live page']);
    expect(result.books.sessions.cut).toBe(2);
    expect(await textsOf(tab, '.verdict .sentence')).toEqual(['✗FAILED: stopped by Cut on the live page']);
  });
});
