import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { described, importTable, roomTable, routeFiles, routeOfTurn } from '../../docs/architecture-page.ts';
import { botSections } from '../../docs/bots-page.ts';
import { commandPages, overrideTable, variableTable } from '../../docs/cli-page.ts';
import { documentTable } from '../../docs/documents-page.ts';
import { jsonSchemaOf, publishedNames } from '../../docs/json-schema.ts';
import {
  comparedTable,
  conditionTable,
  exportedTable,
  installBlock,
  metricTable,
  seriesTable,
  statisticTable,
} from '../../docs/metrics-page.ts';
import { galleryTable } from '../../docs/protocols-page.ts';
import { presetTable } from '../../docs/scenarios-page.ts';
import { faultTable, routeTable, sabotageTable } from '../../docs/service-page.ts';
import { acceptanceTitles } from '../../bench/acceptance/titles.ts';
import { extract } from '../../bench/extract.ts';
import { findResults } from '../../src/edge/disk/find-results.ts';
import { readResult } from '../../src/edge/disk/read-result.ts';
import { knownVariables } from '../../src/cli/perform/resolve-scenario-file.ts';
import { optionTable } from '../../src/report/options/option-table.ts';
import { root } from '../support/command.ts';
import { rooms } from './rooms.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test.each(publishedNames)('the published JSON Schema of %s documents matches the code (npm run docs)', (name) => {
  expect(JSON.parse(read(`docs/${name}.schema.json`))).toEqual(JSON.parse(JSON.stringify(jsonSchemaOf(name))));
});

test('the figures of docs/reference/bench.md and docs/reference/acceptance.md match the last bench (npm run docs)', () => {
  const report = read('bench/results.md');
  expect(read('docs/reference/bench.md')).toContain(extract(report, ['Speed', 'Budget', 'Breadth']));
  expect(read('docs/reference/acceptance.md')).toContain(extract(report, acceptanceTitles));
});

/** Columns are padded for the eye. */
const plain = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---');

test('the table of documents matches the code (npm run docs)', () => {
  expect(plain(read('docs/reference/documents.md'))).toContain(plain(documentTable()));
});

test('the recipes of docs/guides/bots.md match the code (npm run docs)', () => {
  expect(read('docs/guides/bots.md')).toContain(botSections());
});

test('the table of options matches the code, and nothing in it refers to a text (npm run docs)', () => {
  const page = read('docs/reference/options.md');
  expect(plain(page)).toContain(plain(optionTable()));
  expect(page).not.toMatch(/see the text/i);
});

test('the commands, their flags and their variables match the code (npm run docs)', async () => {
  // Set by the runner of the tests.
  vi.stubEnv('BASE_URL', '');
  const page = plain(read('docs/reference/cli.md'));
  expect(page).toContain(plain(await commandPages()));
  expect(page).toContain(plain(overrideTable()));
  expect(plain(read('docs/reference/environment.md'))).toContain(plain(await variableTable()));
});

test('every environment variable that the source reads is documented', () => {
  const pages = read('docs/reference/environment.md') + read('docs/reference/cli.md');
  expect(knownVariables.filter((name) => !pages.includes(`\`${name}\``))).toEqual([]);
});

test.each([
  ['routes', routeTable()],
  ['faults', faultTable()],
  ['sabotage', sabotageTable()],
])('the %s of the embedded service match the code (npm run docs)', (_, table) => {
  expect(plain(read('docs/reference/embedded-service.md'))).toContain(plain(table));
});

test.each(Object.entries({ conditionTable, seriesTable, statisticTable, metricTable, comparedTable, exportedTable }))(
  'the %s of docs/reference/metrics.md matches the code (npm run docs)',
  (_, table) => {
    expect(plain(read('docs/reference/metrics.md'))).toContain(plain(table()));
  },
);

test('the packages that docs/reference/dashboards.md installs are the ones that the code requires (npm run docs)', () => {
  expect(read('docs/reference/dashboards.md')).toContain(installBlock());
});

test('the gallery of docs/reference/protocols.md matches the rows of its tests (npm run docs)', () => {
  expect(plain(read('docs/reference/protocols.md'))).toContain(plain(galleryTable()));
});

test('the presets of docs/reference/scenarios.md match the code (npm run docs)', () => {
  expect(plain(read('docs/reference/scenarios.md'))).toContain(plain(presetTable()));
});

test('the map of the architecture matches the code (npm run docs)', () => {
  const page = plain(read('docs/concepts/architecture.md'));
  expect(page).toContain(plain(roomTable()));
  expect(page).toContain(plain(importTable()));
  expect(described).toEqual(rooms);
});

test('the route of one turn matches the code: each file imports an earlier one, or is imported by one (npm run docs)', () => {
  expect(plain(read('docs/concepts/architecture.md'))).toContain(plain(routeOfTurn()));
  const importsOf = (file: string): string[] =>
    [...read(`src/${file}`).matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
      join('src', dirname(file), path).slice('src/'.length),
    );
  const apart = routeFiles.filter((file, at) => {
    const earlier = routeFiles.slice(0, at);
    return at > 0 && !earlier.some((each) => importsOf(each).includes(file) || importsOf(file).includes(each));
  });
  expect(apart).toEqual([]);
});

test('the CHANGELOG contains the version of the package', () => {
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

/** Returns the parts of a schema that occur more than once and are longer than a reference is worth; descriptions may differ. */
function repeatedParts(schema: unknown): string[] {
  const counts = new Map<string, number>();
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    if (!Array.isArray(part)) {
      const text = JSON.stringify({ ...part, description: undefined });
      if (text.length > 250) counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    Object.values(part).forEach(visit);
  };
  visit(schema);
  return [...counts].flatMap(([text, count]) => (count > 1 ? [`${String(count)} times: ${text.slice(0, 100)}`] : []));
}

test.each(publishedNames)('the JSON Schema of a %s shares its parts: none is repeated', (name) => {
  expect(repeatedParts(jsonSchemaOf(name))).toEqual([]);
});
