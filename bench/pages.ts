import { createRequire } from 'node:module';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Playwright from 'playwright-core';
import { readPageAssets } from '../src/edge/path-in-package.ts';
import { assemblePage } from '../src/report/page/assemble.ts';
import { viewResults } from '../src/report/run/result-outline.ts';
import { chromiumPath } from '../test/support/chromium-path.ts';
import { nightResult } from '../test/support/night-result.ts';
import type { Finding } from './finding.ts';
import { median } from './markdown.ts';

// Required, because the TypeScript loader cannot import it.
const { chromium } = createRequire(import.meta.url)('playwright-core') as typeof Playwright;

interface Length {
  name: string;
  /** Number of intervals of a run of this length. */
  intervals: number;
  lengthMs: number;
  atMaxMs: number;
}

const lengths: readonly Length[] = [
  { name: '5 s', intervals: 5, lengthMs: 1000, atMaxMs: 1000 },
  { name: '5 min', intervals: 300, lengthMs: 1000, atMaxMs: 2000 },
  { name: '8 h', intervals: 450, lengthMs: 64_000, atMaxMs: 2000 },
];

/** The page of a result by the length of its run, every series with a thousand values in every interval. Needs chromium. */
export async function measurePages({ folder, rounds }: { folder: string; rounds: number }): Promise<Finding[]> {
  if (chromiumPath === undefined) throw new Error('pages are measured in a browser: put chromium on the PATH');
  const assets = await readPageAssets();
  const browser = await chromium.launch({ executablePath: chromiumPath });
  try {
    const findings: Finding[] = [];
    for (const { name, intervals, lengthMs, atMaxMs } of lengths) {
      const startedAt = performance.now();
      const html = assemblePage(viewResults([nightResult(intervals, lengthMs)]), assets);
      const madeMs = performance.now() - startedAt;
      const path = join(folder, 'page.html');
      await writeFile(path, html);
      const usableMs: number[] = [];
      for (let round = 0; round < rounds; round++) usableMs.push(await timeToUsable(browser, path));
      const of = `the page of ${name}`;
      findings.push(
        { what: `${of}: size`, value: Buffer.byteLength(html) / 1e6, unit: 'MB', atMost: 3 },
        { what: `${of}: time to make it`, value: madeMs, unit: 'ms', atMost: 20_000 },
        { what: `${of}: time until all charts are drawn`, value: median(usableMs), unit: 'ms', atMost: atMaxMs },
      );
    }
    return findings;
  } finally {
    await browser.close();
  }
}

/** Returns the time from the start of the navigation to the frame with all charts, in milliseconds. */
async function timeToUsable(browser: Playwright.Browser, path: string): Promise<number> {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  try {
    await tab.goto(pathToFileURL(path).href);
    await tab.locator('main').waitFor();
    return await tab.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()))))',
    );
  } finally {
    await tab.close();
  }
}
