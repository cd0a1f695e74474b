// Writes what is generated: the JSON Schema of results, and the option table of the README. Run by `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { optionTable } from '../dist/report/option-table.js';
import { resultJsonSchema } from '../dist/result/result.js';

const root = new URL('../', import.meta.url);
const block = /(<!-- options: written by npm run docs -->\n)[\s\S]*?(<!-- end of options -->)/;

writeFileSync(new URL('docs/result.schema.json', root), `${JSON.stringify(resultJsonSchema(), null, 2)}\n`);
const readme = readFileSync(new URL('README.md', root), 'utf8');
writeFileSync(
  new URL('README.md', root),
  readme.replace(block, (_, start, end) => `${start}${optionTable()}\n${end}`),
);
