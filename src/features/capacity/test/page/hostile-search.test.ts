import { describe, expect, test } from 'vitest';
import { hasBrowser, useBrowser } from '../../../../../test/support/browser.ts';
import { reportOf } from '../../../../../test/support/report-of.ts';
import type { Capacity } from '../../document/capacity.ts';
import { capacitiesCompared } from '../compared-capacities.ts';
import { sampleCapacity } from '../sample-capacity.ts';

const attack = '</script><!--<script><img src=x onerror="window.attacked=1"><script>window.attacked=1</script>';
const hostile = `${attack}\u202e\u2066 javascript:window.attacked=1 "'\``;

describe.runIf(hasBrowser)('a hostile capacity, in a browser', () => {
  const open = useBrowser();
  const capacity = hostileCapacity();

  test.each([
    ['by itself', capacity],
    ['compared with another', capacitiesCompared([capacity], [capacity])],
  ])('runs no script of its own, and shows as text: %s', async (_, document) => {
    const { tab, requests, complaints } = await open(await reportOf(document));
    expect(await tab.evaluate('window.attacked')).toBeUndefined();
    expect(await tab.locator('img').count()).toBe(0);
    const text = await tab.evaluate<string>('document.body.textContent');
    expect(text.split(attack).length).toBeGreaterThan(3);
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
    expect([requests, complaints]).toEqual([[], []]);
  });
});

/** Returns a capacity document with the attack in every free text, units and stop reasons included. */
function hostileCapacity(): Capacity {
  const sample = sampleCapacity();
  return {
    ...sample,
    label: hostile,
    machine: hostile,
    summary: hostile,
    scenario: { ...sample.scenario, name: hostile, target: hostile, protocol: hostile },
    objectives: sample.objectives.map((each) => ({ ...each, condition: hostile, unit: hostile })),
    broken: sample.broken && { ...sample.broken, objective: hostile, reason: hostile },
    daily: sample.daily && { ...sample.daily, rule: hostile },
    steps: sample.steps.map((step) => ({
      ...step,
      reason: hostile,
      objectives: step.objectives.map((seen) => ({ ...seen, metric: hostile, condition: hostile })),
    })),
    warnings: [hostile],
  };
}
