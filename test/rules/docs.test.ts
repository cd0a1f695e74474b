import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/command.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const sources = filesBelow('src').filter((file) => /\.tsx?$/.test(file));
const docs = filesBelow('docs').filter((file) => file.endsWith('.md'));
const guides = docs.filter((page) => page.startsWith('docs/guides/'));

test('the README has at most 200 lines', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(200);
});

test('the README shows both commands of a fresh machine in one code block', () => {
  const blocks = [...read('README.md').matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const [first = ''] = blocks;
  expect(first.split('\n')).toEqual(
    expect.arrayContaining(['npm ci && npx chat-load run scenarios/peak.ts', 'npm ci && npm test']),
  );
});

test.each(['README.md', 'SECURITY.md', 'CHANGELOG.md', ...docs])('the links of %s resolve', (page) => {
  expect(linksOf(page).filter((link) => !resolves(link, page))).toEqual([]);
});

test.each(guides)('%s is linked from the README, and has the headings of every guide', (guide) => {
  expect(pathsLinkedFrom('README.md')).toContain(guide);
  expect([...read(guide).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
    'What you get',
    'Command',
    'Output',
    'What to check',
    'What can go wrong',
  ]);
});

test('docs/README.md links every page', () => {
  const linked = pathsLinkedFrom('docs/README.md');
  expect(docs.filter((page) => page !== 'docs/README.md' && !linked.includes(page))).toEqual([]);
});

test('the paths of pages in the source exist', () => {
  const named = [...sources, ...filesBelow('scenarios')].flatMap((file) =>
    [...read(file).matchAll(/\bdocs\/[\w./-]+\.(?:md|yml)/g)].map(([path]) => path),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('every message of docs/troubleshooting.md is one of the product', () => {
  const source = sources
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => read(file).replaceAll("\\'", "'"))
    .join('\n');
  const firstCells = [...read('docs/troubleshooting.md').matchAll(/^\| (.*?) \| /gm)].map(([, cell = '']) => cell);
  const quoted = firstCells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));
  const fragments = quoted.flatMap((text) =>
    text
      .replace(/^(FAILED|INVALID): (stopped: )?(status \d+)?/, '')
      .split(/\s*\.\.\.[,:]?\s*/)
      .filter((part) => /\w \w/.test(part)),
  );
  expect(fragments.length).toBeGreaterThan(50);
  expect(fragments.filter((part) => !source.includes(part))).toEqual([]);
});

test.each(docs)('%s writes a shipped scenario before it uses it', (page) => {
  const lines = [...read(page).matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) => block.split('\n'));
  // A checkout contains the scenarios.
  const used = lines.filter((line) => !line.includes('docker')).join('\n');
  // The reader's own scenario is scenarios/agent.ts.
  const early = [...used.matchAll(/\bscenarios\/(?!agent\.)([\w-]+)\.ts\b/g)].filter(
    ({ 1: name = '', index }) => !used.slice(0, index).includes(`init --example ${name} `),
  );
  expect(early.map(([path]) => path)).toEqual([]);
});

function linksOf(page: string): string[] {
  const prose = read(page).replace(/^```.*?^```/gms, '');
  return [...prose.matchAll(/\]\((?!\w+:)([^)]*)\)/g)].map(([, link = '']) => link);
}

const pathsLinkedFrom = (page: string): string[] =>
  linksOf(page).map((link) => normalize(join(dirname(page), link.split('#')[0] ?? '')));

/** Reports whether the file of a link exists and, in a page, the heading that the link names. */
function resolves(link: string, page: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? page : relative('.', join(dirname(page), path));
  if (!existsSync(join(root, file))) return false;
  return anchor === undefined || !file.endsWith('.md') || anchorsOf(read(file)).includes(anchor);
}

/** Returns the anchors that GitHub derives from headings. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
