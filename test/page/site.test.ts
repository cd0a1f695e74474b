import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/command.ts';
import { hasBrowser, useVisits, type Opened } from '../support/browser.ts';

const site = join(root, 'dev/site/dist');
const isBuilt = existsSync(join(site, 'index.html'));
if (!isBuilt) {
  if (process.env['CI'] === 'true') throw new Error('CI tests the site: npm run docs:site.');
  console.warn('Skipped: the site of the documentation is not built (npm run docs:site).');
}

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const filesOf = (extension: string): string[] =>
  readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(extension));

let server: Server;
let address = '';
beforeAll(async () => {
  server = createServer(({ url = '/' }, response) => {
    const path = join(site, new URL(url, 'http://site').pathname.replace(/\/$/, '/index.html'));
    if (!existsSync(path)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' });
    response.end(readFileSync(path));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => server.close());

describe.skipIf(!hasBrowser || !isBuilt)('the site of the documentation', () => {
  const visit = useVisits();
  const expectClean = ({ complaints, requests }: Opened): void => {
    expect([complaints, requests.filter((url) => !url.startsWith(address))]).toEqual([[], []]);
  };

  const hrefsOf = ({ tab }: Opened, links: string): Promise<string[]> =>
    tab.evaluate<string[]>(`[...document.querySelectorAll('${links}')].map((link) => link.getAttribute('href'))`);

  test('finds a page by a word of it', async () => {
    const opened = await visit(`${address}/`);
    await opened.tab.locator('.VPNavBarSearch button').first().click();
    await opened.tab.locator('#localsearch-input').fill('coordinated omission');
    await opened.tab.locator('.result').first().waitFor();
    const found = await opened.tab.locator('.result').allInnerTexts();
    expect(found.join('\n')).toContain('What it answers');
    await opened.tab.locator('#localsearch-input').press('Enter');
    await opened.tab.waitForURL(`${address}/**#*`);
    expectClean(opened);
  });

  test('links every page of docs/README.md in its navigation, and each opens', async () => {
    const opened = await visit(`${address}/`);
    const links = await hrefsOf(opened, '.VPSidebar a, .VPNavBarMenu a');
    const listed = readFileSync(join(root, 'docs/README.md'), 'utf8').matchAll(/\]\(([^)]*)\.md\)/g);
    expect(links).toEqual(expect.arrayContaining([...listed].map(([, path = '']) => `/${path}.html`)));
    for (const link of new Set(links)) expect((await fetch(`${address}${link}`)).status, link).toBe(200);
  });

  test('has no page wider than a phone', async () => {
    const opened = await visit(`${address}/`, { viewport: { width: 390, height: 800 }, javaScriptEnabled: false });
    const wide: string[] = [];
    const pages = filesOf('.html').filter((file) => file !== '404.html' && !file.startsWith('files/'));
    expect(pages.length).toBeGreaterThan(50);
    for (const page of pages) {
      await opened.tab.goto(`${address}/${page}`);
      await opened.tab.locator('main h1').waitFor();
      if ((await opened.tab.evaluate<number>('document.documentElement.scrollWidth')) > 390) wide.push(page);
    }
    expect(wide).toEqual([]);
    expectClean(opened);
  });

  test('shows templates of scenarios as they are written', async () => {
    const { tab } = await visit(`${address}/concepts/integrity.html`);
    expect(await tab.locator('main').innerText()).toContain('{{customerName}}');
  });

  test('has a Markdown form of every page, and llms.txt lists those of the navigation', () => {
    const pages = filesOf('.md');
    for (const page of filesOf('.html').filter((file) => file !== '404.html'))
      expect(pages).toContain(page.replace(/html$/, 'md'));
    const listed = [...readFileSync(join(site, 'llms.txt'), 'utf8').matchAll(/\]\(([^)]*)\)/g)].map(([, to]) => to);
    expect(listed).toContain('guides/nightly.md');
    expect(listed.filter((page) => !pages.includes(page ?? ''))).toEqual([]);
  });

  test('contains what a link names: an exit code, a scenario, a schema', async () => {
    const hrefs = await hrefsOf(await visit(`${address}/guides/nightly.html`), 'main a');
    expect(hrefs).toEqual(expect.arrayContaining(['./../#exit-codes', './../files/scenarios/nightly.ts.html']));
    expect((await fetch(`${address}/result.schema.json`)).status).toBe(200);
  });
});

test('the lock file of the site contains no address', () => {
  expect(readFileSync(join(root, 'dev/site/package-lock.json'), 'utf8')).not.toMatch(/"resolved"/);
});
