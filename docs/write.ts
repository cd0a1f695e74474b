// Writes the generated parts of the docs (`npm run docs`): JSON Schemas, and the tables of options, metrics, measurements,
// presets, documents, architecture and the embedded service.
import { readFileSync, writeFileSync } from 'node:fs';
import { acceptanceTitles } from '../bench/acceptance/titles.ts';
import { extract } from '../bench/extract.ts';
import { optionTable } from '../src/report/options/option-table.ts';
import { botSections } from './bots-page.ts';
import { commandPages, overrideTable, variableTable } from './cli-page.ts';
import { importTable, roomTable, routeOfTurn } from './architecture-page.ts';
import { documentTable } from './documents-page.ts';
import { jsonSchemaOf, publishedNames } from './json-schema.ts';
import {
  comparedTable,
  conditionTable,
  exportedTable,
  installBlock,
  metricTable,
  seriesTable,
  statisticTable,
} from './metrics-page.ts';
import { galleryTable } from './protocols-page.ts';
import { presetTable } from './scenarios-page.ts';
import { faultTable, routeTable, sabotageTable } from './service-page.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const write = (path: string, text: string): void => writeFileSync(new URL(path, root), text);

/** Replaces the text between the comments with this name by `content`. */
function fill(text: string, name: string, content: string): string {
  const block = new RegExp(
    `((?:<!--|//) ${name}: written by npm run docs(?: -->)?\n)[^]*?((?:<!--|//) end of ${name})`,
  );
  if (!block.test(text)) throw new Error(`no generated part ${name}`);
  return text.replace(block, (_, start: string, end: string) => `${start}${content}\n${end}`);
}

/** Fills the generated parts of a page, by name. */
function fillPage(path: string, contents: Readonly<Record<string, string>>): void {
  write(
    path,
    Object.entries(contents).reduce((text, [name, content]) => fill(text, name, content), read(path)),
  );
}

for (const name of publishedNames) write(`docs/${name}.schema.json`, `${JSON.stringify(jsonSchemaOf(name))}\n`);
fillPage('docs/reference/options.md', { options: optionTable() });
fillPage('docs/reference/cli.md', { commands: await commandPages(), overrides: overrideTable() });
fillPage('docs/reference/environment.md', { variables: await variableTable() });
fillPage('docs/reference/documents.md', { documents: documentTable() });
fillPage('docs/reference/bench.md', { bench: extract(read('bench/results.md'), ['Speed', 'Budget', 'Breadth']) });
fillPage('docs/reference/acceptance.md', { acceptance: extract(read('bench/results.md'), acceptanceTitles) });
fillPage('docs/reference/scenarios.md', { presets: presetTable() });
fillPage('docs/reference/protocols.md', { gallery: galleryTable() });
fillPage('docs/guides/bots.md', { bots: botSections() });
fillPage('docs/reference/metrics.md', {
  conditions: conditionTable(),
  series: seriesTable(),
  statistics: statisticTable(),
  metrics: metricTable(),
  compared: comparedTable(),
  exported: exportedTable(),
});
fillPage('docs/reference/dashboards.md', { install: installBlock() });
fillPage('docs/concepts/architecture.md', { map: roomTable(), route: routeOfTurn(), imports: importTable() });
fillPage('docs/reference/embedded-service.md', {
  routes: routeTable(),
  faults: faultTable(),
  sabotage: sabotageTable(),
});
