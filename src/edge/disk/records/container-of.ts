import { extname } from 'node:path';
import { parseJson } from '../../../base/json.ts';
import type { Container } from './record.ts';
import { shellWord } from '../../../base/format.ts';

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

/** What a file is that has to be made into another one before it can be read. */
export interface ForeignBytes {
  /** As the end of a sentence: `it is compressed with gzip`. */
  problem: string;
  /** With the command that does it. */
  remedy: string;
}

/** Whether a file is compressed or in another encoding than UTF-8, by how it begins; `undefined`: neither. */
export function foreignBytes(path: string, start: Buffer): ForeignBytes | undefined {
  const other = others.find(({ begins }) => start.subarray(0, begins.length).equals(begins)) ?? unmarked(start);
  return other && { problem: `it is ${other.is}`, remedy: other.remedy(path) };
}

interface Other {
  is: string;
  remedy: (path: string) => string;
}

const unpackedBy = (program: string): Other['remedy'] => {
  return (path) => `Unpack it first: ${program} ${shellWord(path)} > ${shellWord(withoutSuffix(path))}`;
};

const convertedFrom = (encoding: string): Other['remedy'] => {
  return (path) =>
    `Convert it first: iconv -f ${encoding} -t UTF-8 ${shellWord(path)} > ${shellWord(withSuffix(path, 'utf8'))}`;
};

const others: readonly (Other & { begins: Buffer })[] = [
  { begins: Buffer.from('1f8b', 'hex'), is: 'compressed with gzip', remedy: unpackedBy('gunzip -c') },
  { begins: Buffer.from('28b52ffd', 'hex'), is: 'compressed with Zstandard', remedy: unpackedBy('zstd -dc') },
  { begins: Buffer.from('BZh'), is: 'compressed with bzip2', remedy: unpackedBy('bunzip2 -c') },
  {
    begins: Buffer.from('504b0304', 'hex'),
    is: 'a ZIP archive',
    remedy: (path) => `Unpack it first: unzip ${shellWord(path)}`,
  },
  { begins: Buffer.from('fffe', 'hex'), is: 'UTF-16', remedy: convertedFrom('UTF-16') },
  { begins: Buffer.from('feff', 'hex'), is: 'UTF-16', remedy: convertedFrom('UTF-16') },
  { begins: Buffer.from('ARROW1'), is: 'an Arrow file', remedy: () => 'Write it as Parquet.' },
];

/** UTF-16 without a mark: one of its first two bytes is 0, as in no text in UTF-8. */
function unmarked([first, second]: Buffer): Other | undefined {
  if (first === undefined || second === undefined || (first === 0) === (second === 0)) return undefined;
  return { is: 'UTF-16', remedy: convertedFrom(first === 0 ? 'UTF-16BE' : 'UTF-16LE') };
}

/** `talks.jsonl` of `talks.jsonl.gz`; `talks.jsonl.unpacked` of a file whose name does not say that it is packed. */
function withoutSuffix(path: string): string {
  return /\.(?:gz|zst|bz2)$/i.test(path) ? path.slice(0, -extname(path).length) : `${path}.unpacked`;
}

function withSuffix(path: string, suffix: string): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}.${suffix}${extension}`;
}
