import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page as Tab } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { chromiumPath } from './chromium-path.ts';
import { makeFolder } from './command.ts';
import { waitMs } from './deadline.ts';

if (chromiumPath === undefined) {
  if (process.env['CI'] === 'true') throw new Error('CI tests pages in a browser: install chromium.');
  console.warn('Skipped: pages are tested in a browser, and no chromium is on the PATH.');
}

/** Whether a browser is available for page tests. */
export const hasBrowser = chromiumPath !== undefined;

/** A page in a browser, and its errors. */
export interface Opened {
  tab: Tab;
  /** Addresses requested, without the file itself and the objects it created. */
  requests: string[];
  /** Errors thrown, and messages from the browser. */
  complaints: string[];
}

/** Opens HTML as a separate file, as a reader would. */
export type Open = (html: string, options?: BrowserContextOptions) => Promise<Opened>;

/** Opens an address of a server. */
export type Visit = (address: string, options?: BrowserContextOptions) => Promise<Opened>;

/** Starts one browser for a test file. */
export function useBrowser(): Open {
  const visit = useVisits();
  return async (html, options) => {
    const file = join(await makeFolder(), 'page.html');
    await writeFile(file, html);
    return visit(pathToFileURL(file).href, options);
  };
}

/** Starts one browser for a test file, for pages that are served. */
export function useVisits(): Visit {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (chromiumPath !== undefined) browser = await chromium.launch({ executablePath: chromiumPath });
  });
  afterAll(() => browser?.close());
  return async (address, options) => {
    if (browser === undefined) throw new Error('the browser has not started');
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    context.setDefaultTimeout(waitMs);
    return visitWith(await context.newPage(), address);
  };
}

async function visitWith(tab: Tab, address: string): Promise<Opened> {
  const opened: Opened = { tab, requests: [], complaints: [] };
  tab.on('request', (request) => {
    if (request.url().replace(/#.*/, '') !== address && !/^(data|blob):/.test(request.url()))
      opened.requests.push(request.url());
  });
  tab.on('pageerror', (error) => opened.complaints.push(error.message));
  tab.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) opened.complaints.push(message.text());
  });
  await tab.goto(address);
  await tab.locator('main').waitFor();
  return opened;
}
