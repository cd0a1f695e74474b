// Writes what is generated: the JSON Schemas of results and comparisons, in the README the option table and what the bench
// measured, and the tables of the embedded service. Run by `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { extract } from '../bench/extract.ts';
import { comparisonJsonSchema } from '../src/compare/document/comparison.ts';
import { optionTable } from '../src/report/options/option-table.ts';
import { resultJsonSchema } from '../src/result/result.ts';
import { faultTable, routeTable, sabotageTable } from './service-page.ts';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const write = (path: string, text: string): void => writeFileSync(new URL(path, root), text);

/** Puts `content` between the marks of that name. */
function fill(text: string, name: string, content: string): string {
  const block = new RegExp(`(<!-- ${name}: written by npm run docs -->\n)[^]*?(<!-- end of ${name} -->)`);
  if (!block.test(text)) throw new Error(`there is no place for ${name}`);
  return text.replace(block, (_, start: string, end: string) => `${start}${content}\n${end}`);
}

write('docs/result.schema.json', `${JSON.stringify(resultJsonSchema(), null, 2)}\n`);
write('docs/comparison.schema.json', `${JSON.stringify(comparisonJsonSchema(), null, 2)}\n`);
const withOptions = fill(read('README.md'), 'options', optionTable());
write('README.md', fill(withOptions, 'bench', extract(read('bench/results.md'))));

const service = read('docs/embedded-service.md');
const withFaults = fill(fill(service, 'routes', routeTable()), 'faults', faultTable());
write('docs/embedded-service.md', fill(withFaults, 'sabotage', sabotageTable()));
