import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultTable, routeTable, sabotageTable } from '../../docs/service-page.ts';
import { extract } from '../../bench/extract.ts';
import { findResults } from '../../src/edge/disk/find-results.ts';
import { readResult } from '../../src/edge/disk/read-result.ts';
import { comparisonJsonSchema } from '../../src/compare/document/comparison.ts';
import { optionTable } from '../../src/report/options/option-table.ts';
import { resultJsonSchema } from '../../src/result/result.ts';
import { root } from '../support/command.ts';
import { rooms } from './rooms.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('the published JSON Schema is that of the code (npm run docs)', () => {
  expect(JSON.parse(read('docs/result.schema.json'))).toEqual(JSON.parse(JSON.stringify(resultJsonSchema())));
});

test('the published JSON Schema of comparisons is that of the code (npm run docs)', () => {
  expect(JSON.parse(read('docs/comparison.schema.json'))).toEqual(JSON.parse(JSON.stringify(comparisonJsonSchema())));
});

test('the option table of the README is that of the code (npm run docs)', () => {
  expect(read('README.md')).toContain(optionTable());
});

test('the figures of the README are those of the last bench (npm run docs)', () => {
  expect(read('README.md')).toContain(extract(read('bench/results.md')));
});

test.each([
  ['routes', routeTable()],
  ['faults', faultTable()],
  ['sabotage', sabotageTable()],
])('the %s of the embedded service are those of the code (npm run docs)', (_, table) => {
  // Columns are padded for the eye.
  const plain = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');
  expect(plain(read('docs/embedded-service.md'))).toContain(plain(table));
});

test('the map of the README names every room and nothing else', () => {
  const named = [...read('README.md').matchAll(/^\| `(\w+)\/` \|/gm)].map((match) => match[1]);
  expect(named).toEqual(rooms);
});

test('the CHANGELOG knows the version of the package', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(read('CHANGELOG.md')).toContain(`## ${version}`);
});

test('the sample baseline can be read, and its runs belong together', async () => {
  const results = await Promise.all((await findResults([join(root, 'results/baseline')])).map(readResult));
  expect(results.map(({ scenario, validity }) => [scenario.seed, validity.verdict])).toEqual([
    [1, 'valid'],
    [2, 'valid'],
    [3, 'valid'],
  ]);
  expect(new Set(results.map(({ run }) => run.sitting)).size).toBe(1);
});
