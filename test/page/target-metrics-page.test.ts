import { beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { EndpointAccount } from '../../src/edge/target-metrics/endpoint-account.ts';
import { SampleReader } from '../../src/edge/target-metrics/sample-reader.ts';
import { ms } from '../../src/base/time.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { reportOf } from '../support/report-of.ts';
import { textsOf } from '../support/shown-texts.ts';
import { finishedRun, resultOf } from '../support/synthetic-result.ts';

const hostile = '</script><img src=x onerror=\\"window.pwned = true\\">';

const endpoint = () => {
  const account = new EndpointAccount({
    url: 'http://127.0.0.1:9/metrics',
    series: ['queue', 'vllm:x_total'],
    requests: null,
    everyMs: ms(1000),
  });
  for (const atMs of [0, 500, 1500, 2500]) {
    const reader = new SampleReader(account.wanted);
    reader.push(
      `# TYPE queue gauge\nqueue{name="${hostile}"} 2\nqueue{name="b"} ${String(atMs)}\nvllm:x_total ${String(atMs)}\n`,
    );
    account.add(reader.end(), atMs, atMs > 0);
  }
  return account.publish();
};

describe.runIf(hasBrowser)("the target's metrics, in a browser", () => {
  const open = useBrowser();
  let tab: Page;

  beforeAll(async () => {
    ({ tab } = await open(await reportOf(resultOf(finishedRun(), { targetMetrics: [endpoint()] }))));
  });

  test('have a chart per series, and a table', async () => {
    expect(await textsOf(tab, '#target-metrics .chart .title')).toEqual(['queue', 'vllm:x_total']);
    expect(await textsOf(tab, '#target-metrics caption')).toContain('Before and after the load');
  });

  test('show labels of a server as text', async () => {
    expect(await tab.evaluate<boolean>("'pwned' in window")).toBe(false);
    expect(await tab.locator('#target-metrics img').count()).toBe(0);
    expect(await tab.locator('#target-metrics').textContent()).toContain('</script><img src=x');
  });

  test('need no more width than a phone has', async () => {
    await tab.setViewportSize({ width: 390, height: 800 });
    expect(await tab.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
  });
});
