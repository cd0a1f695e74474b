// The generated part of docs/reference/documents.md.
import '../src/features.ts';
import { documentVersion } from '../src/edge/disk/parse-document.ts';
import { type Kind, entryOf, formatsOf, kinds } from '../src/report/documents.ts';
import { markdownTable } from '../src/report/words/markdown-text.ts';

/** Files that other commands read, by writer. */
const files = {
  'chat-load/history': '`trend --history FILE`, read by `compare` and `ab`',
  'chat-load/journal': '`run`, while it goes on (`.ndjson`), read by `recover`',
};

/** All documents as a Markdown table: kind, version, writer, JSON Schema and formats. */
export function documentTable(): string {
  return markdownTable(
    ['`kind`', '`schemaVersion`', 'written by', 'JSON Schema', 'formats of `report`'].map((head) => ({ head })),
    [...kinds().map(documentRow), ...Object.entries(files).map(([kind, writer]) => rowOf(kind, writer))],
  );
}

function documentRow(kind: Kind): string[] {
  const { writer, isPublished } = entryOf(kind);
  const file = `${kind.slice('chat-load/'.length)}.schema.json`;
  const formats = formatsOf(kind).map((format) => `\`${format}\``);
  return rowOf(kind, writer, isPublished === true ? `[${file}](../${file})` : '', formats.join(', '));
}

const rowOf = (kind: string, writer: string, schema = '', formats = ''): string[] => [
  `\`${kind}\``,
  String(documentVersion),
  writer,
  schema,
  formats,
];
