// The generated part of docs/reference/documents.md.
import { documentVersion } from '../src/edge/disk/parse-document.ts';
import { type Kind, formatsOf } from '../src/report/documents.ts';
import { markdownTable } from '../src/report/words/markdown-text.ts';

type Written = Kind | 'chat-load/history' | 'chat-load/journal';

/** Writers of documents. */
const writers: Readonly<Record<Written, string>> = {
  'chat-load/result': '`run`, `ab`, `recover`, to a file',
  'chat-load/comparison': '`compare --json`, `ab --json`',
  'chat-load/trend': '`trend --json`',
  'chat-load/check': '`check --json`',
  'chat-load/plan': '`plan --json`, `run --dry-run --json`',
  'chat-load/calibration': '`calibrate --json`',
  'chat-load/capacity': '`capacity`, to a file',
  'chat-load/dataset': '`dataset inspect --json`',
  'chat-load/fit': '`fit --json`',
  'chat-load/capacity-comparison': '`compare --json` of capacities',
  'chat-load/history': '`trend --history FILE`, read by `compare` and `ab`',
  'chat-load/journal': '`run`, while it goes on (`.ndjson`), read by `recover`',
};

const schemas: Readonly<Partial<Record<Written, string>>> = {
  'chat-load/result': 'result.schema.json',
  'chat-load/comparison': 'comparison.schema.json',
  'chat-load/capacity': 'capacity.schema.json',
  'chat-load/dataset': 'dataset.schema.json',
  'chat-load/fit': 'fit.schema.json',
  'chat-load/capacity-comparison': 'capacity-comparison.schema.json',
};

/** All documents as a Markdown table: kind, version, writer, JSON Schema and formats. */
export function documentTable(): string {
  const kinds = Object.keys(writers) as Written[];
  return markdownTable(
    ['`kind`', '`schemaVersion`', 'written by', 'JSON Schema', 'formats of `report`'].map((head) => ({ head })),
    kinds.map((kind) => [
      `\`${kind}\``,
      String(documentVersion),
      writers[kind],
      linkTo(schemas[kind]),
      formatNames(kind),
    ]),
  );
}

const linkTo = (file: string | undefined): string => (file === undefined ? '' : `[${file}](../${file})`);

function formatNames(kind: Written): string {
  if (kind === 'chat-load/history' || kind === 'chat-load/journal') return '';
  return formatsOf(kind)
    .map((format) => `\`${format}\``)
    .join(', ');
}
