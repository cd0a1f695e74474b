import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { slowTurns, withModel } from '../support/model-run.ts';
import { reportOf } from '../support/report-of.ts';
import { textsOf } from '../support/shown-texts.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';

const hostile = '<img src=x onerror="window.pwned = true">';

describe.runIf(hasBrowser)('the inside of a turn, in a browser', () => {
  const open = useBrowser();
  let tab: Page;

  beforeAll(async () => {
    const named = slowTurns.map((turn) => ({
      ...turn,
      attempts: turn.attempts.map((attempt) => ({
        ...attempt,
        calls: attempt.calls.map((call) => ({ ...call, model: hostile })),
      })),
    }));
    ({ tab } = await open(await reportOf(resultOf(withModel(finishedRun(), { slowTurns: named })))));
  });

  const reading = async (): Promise<string> => (await tab.locator('#chart-slow-turns .at').textContent()) ?? '';

  test('reads the spans of the waterfall by keys, row by row', async () => {
    await tab.locator('#chart-slow-turns .plot').focus();
    await tab.keyboard.press('ArrowRight');
    expect(await reading()).toBe('session 12, turn 2: ok; 2.40 s, from 0 ms to 2.40 s');
    await tab.keyboard.press('ArrowDown');
    expect(await reading()).toBe('attempt 1: timed_out; 1.00 s, from 0 ms to 1.00 s');
    await tab.keyboard.press('Escape');
    expect(await reading()).toBe('');
  });

  test('shows names of models as text', async () => {
    await tab.keyboard.press('End');
    expect(await tab.evaluate<boolean>("'pwned' in window")).toBe(false);
    expect(await tab.locator('#inside img').count()).toBe(0);
  });

  test('names the meaning of every colour', async () => {
    expect(await textsOf(tab, '#chart-inside-parts .legend li')).toEqual(['model', 'retry wait', 'agent']);
  });

  test('needs no more width than a phone has', async () => {
    await tab.setViewportSize({ width: 390, height: 800 });
    expect(await tab.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  });
});
