import { extname } from 'node:path';
import { shellWord } from '../../../base/format.ts';
import { parseJson } from '../../../base/json.ts';
import type { Container } from './record.ts';

/** Detects the format of a file of records from its beginning and its name; `undefined` if it is not such a file. */
export function containerOf(path: string, start: Buffer): Container | undefined {
  const text = textAt(start);
  const extension = extname(path).toLowerCase();
  if (text === '' || foreignBytes(path, start) !== undefined) return undefined;
  if (extension === '.csv' || extension === '.tsv') return 'csv';
  if (text.startsWith('[')) return 'json';
  if (extension === '.jsonl' || extension === '.ndjson') return 'jsonl';
  if (text.startsWith('{')) return isDocument(text, extension) ? 'json' : 'jsonl';
  return /[,;\t]/.test(firstLine(text)) ? 'csv' : undefined;
}

/** Decodes the beginning of a file, without a byte order mark and leading white space. */
export function textAt(start: Buffer): string {
  return start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Reports whether a text is one object on several lines, rather than one on each line. */
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

/** The problem of a file that must be converted, as the end of a sentence (`it is compressed with gzip`), and the command. */
interface ForeignBytes {
  problem: string;
  remedy: string;
}

/** Detects compression and encodings other than UTF-8 from the beginning of a file; `undefined` if there are none. */
export function foreignBytes(path: string, start: Buffer): ForeignBytes | undefined {
  const found = foreign.find(({ begins }) => start.subarray(0, begins.length).equals(begins)) ?? unmarked(start);
  return found && { problem: `it is ${found.is}`, remedy: found.remedy(path) };
}

type Remedy = (path: string) => string;

const unpack = (program: string): Remedy => {
  return (path) => `Unpack it first: ${program} ${shellWord(path)} > ${shellWord(withoutSuffix(path))}`;
};

const unzip: Remedy = (path) => `Unpack it first: unzip ${shellWord(path)}`;

const convert = (encoding: string): Remedy => {
  return (path) =>
    `Convert it first: iconv -f ${encoding} -t UTF-8 ${shellWord(path)} > ${shellWord(path.replace(/(\.[^./]+)?$/, '.utf8$1'))}`;
};

const toLines: Remedy = (path) => {
  const [from = '', to = ''] = [path, path.replace(/(\.parquet)?$/i, '.jsonl')].map(quoted);
  const query = `COPY (FROM ${from}) TO ${to} (FORMAT json)`;
  return `Convert it first: duckdb -c ${/["$`\\!]/.test(query) ? shellWord(query) : `"${query}"`}`;
};

/** Quotes a text for SQL. */
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const foreign = [
  { begins: Buffer.from('1f8b', 'hex'), is: 'compressed with gzip', remedy: unpack('gunzip -c') },
  { begins: Buffer.from('28b52ffd', 'hex'), is: 'compressed with Zstandard', remedy: unpack('zstd -dc') },
  { begins: Buffer.from('BZh'), is: 'compressed with bzip2', remedy: unpack('bunzip2 -c') },
  { begins: Buffer.from('504b0304', 'hex'), is: 'a ZIP archive', remedy: unzip },
  { begins: Buffer.from('fffe', 'hex'), is: 'UTF-16', remedy: convert('UTF-16') },
  { begins: Buffer.from('feff', 'hex'), is: 'UTF-16', remedy: convert('UTF-16') },
  { begins: Buffer.from('PAR1'), is: 'a Parquet file', remedy: toLines },
  { begins: Buffer.from('ARROW1'), is: 'an Arrow file', remedy: (): string => 'Write it as JSON Lines.' },
];

/** Detects UTF-16 without a byte order mark: one of the first two bytes is 0, which UTF-8 text never contains. */
function unmarked([first, second]: Buffer): { is: string; remedy: Remedy } | undefined {
  if (first === undefined || second === undefined || (first === 0) === (second === 0)) return undefined;
  return { is: 'UTF-16', remedy: convert(first === 0 ? 'UTF-16BE' : 'UTF-16LE') };
}

/** Returns the name of the unpacked file: `talks.jsonl` for `talks.jsonl.gz`; `talks.jsonl.unpacked` for a compressed file without such a suffix. */
const withoutSuffix = (path: string): string =>
  /\.(?:gz|zst|bz2)$/i.test(path) ? path.slice(0, -extname(path).length) : `${path}.unpacked`;
