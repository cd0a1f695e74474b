import { createRequire } from 'node:module';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AxeResults } from 'axe-core';
import { hasBrowser, useBrowser, type Opened } from '../support/browser.ts';
import { peakResult } from '../support/peak-result.ts';
import { reportOf } from '../support/report-of.ts';
import { featureSamples } from '../support/feature-samples.ts';
import { steppedTrend } from '../support/stepped-trend.ts';
import { regressed } from '../support/synthetic-comparison.ts';
import { settled } from '../support/shown-texts.ts';

const documents: Readonly<Record<string, () => Promise<object>>> = {
  'a result': peakResult,
  'a comparison': () => Promise.resolve(regressed),
  'a trend': () => Promise.resolve(steppedTrend()),
  ...Object.fromEntries(featureSamples.map(({ name, document }) => [name, () => Promise.resolve(document)])),
};

describe.runIf(hasBrowser).each(Object.entries(documents))('the page of %s', (_, documentOf) => {
  const open = useBrowser();
  let opened: Opened;

  beforeAll(async () => {
    // Injecting the checker is forbidden by the policy of the page.
    opened = await open(await reportOf(await documentOf()), { bypassCSP: true });
    await opened.tab.addScriptTag({ path: createRequire(import.meta.url).resolve('axe-core/axe.min.js') });
  });

  test.each(['light', 'dark'] as const)('has no serious finding by axe-core in the %s theme', async (colorScheme) => {
    await opened.tab.emulateMedia({ colorScheme });
    await settled(opened.tab);
    const { violations, passes } = await opened.tab.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
    expect(passes.map(({ id }) => id)).toContain('color-contrast');
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id, nodes }) => [id, nodes.slice(0, 5).map(({ html }) => html)])).toEqual([]);
  });

  test.each([2560, 390])('scrolls only downwards at %d px, and its charts fit', async (width) => {
    await opened.tab.setViewportSize({ width, height: 900 });
    await settled(opened.tab);
    expect(await opened.tab.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    const widths = await opened.tab.evaluate<number[]>(
      "[...document.querySelectorAll('.plot')].map((plot) => plot.getBoundingClientRect().width)",
    );
    expect(Math.min(...widths)).toBeGreaterThan(300);
    expect(Math.max(...widths)).toBeLessThanOrEqual(width);
    expect(opened.complaints).toEqual([]);
  });
});

describe.runIf(hasBrowser)('a change of the theme', () => {
  const open = useBrowser();

  test('draws charts in its colours, and restores the former ones when it is undone', async () => {
    const { tab } = await open(await reportOf(await peakResult()), { colorScheme: 'light' });
    const drawn = (): Promise<string> => tab.evaluate("document.querySelector('#chart-rates canvas').toDataURL()");
    const light = await drawn();
    await tab.emulateMedia({ colorScheme: 'dark' });
    await settled(tab);
    await expect.poll(drawn).not.toBe(light);
    await tab.emulateMedia({ colorScheme: 'light' });
    await settled(tab);
    await expect.poll(drawn).toBe(light);
  });
});
