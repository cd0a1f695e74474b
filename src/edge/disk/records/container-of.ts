import { extname } from 'node:path';
import { parseJson } from '../../../base/json.ts';
import { foreignBytes } from '../foreign-bytes.ts';
import type { Container } from './record.ts';

/** How a file holds records, by how it begins and what it is called; `undefined`: it holds none. */
export function containerOf(path: string, start: Buffer): Container | undefined {
  const text = textAt(start);
  const extension = extname(path).toLowerCase();
  if (text === '' || foreignBytes(path, start) !== undefined) return undefined;
  if (start.toString('latin1', 0, 4) === 'PAR1') return 'parquet';
  if (extension === '.csv' || extension === '.tsv') return 'csv';
  if (text.startsWith('[')) return 'json';
  if (extension === '.jsonl' || extension === '.ndjson') return 'jsonl';
  if (text.startsWith('{')) return isDocument(text, extension) ? 'json' : 'jsonl';
  return /[,;\t]/.test(firstLine(text)) ? 'csv' : undefined;
}

/** The text that a file begins with, from its first letter on. */
export function textAt(start: Buffer): string {
  return start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** A single object over several lines, not one a line. */
function isDocument(text: string, extension: string): boolean {
  const line = firstLine(text);
  if (line.length === text.length) return false;
  try {
    parseJson(line);
    return false;
  } catch {
    return extension === '.json' || line.trim() === '{';
  }
}
