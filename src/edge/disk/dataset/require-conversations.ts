import { extname } from 'node:path';
import { ChatLoadError } from '../../../base/errors.ts';
import { countOf, formatCount } from '../../../base/format.ts';
import { isObject } from '../../../base/is-object.ts';
import { shellWord } from '../../../base/shell-word.ts';
import { readFields } from '../../../dataset/formats/formats.ts';
import { formOf } from '../../../dataset/formats/recognize.ts';
import type { MalformedBound } from '../../../scenario/conversation-file.ts';
import { firstValues } from '../records/first-values.ts';
import { openRecords } from '../records/open-records.ts';
import type { IndexHeader } from './index-format.ts';

const namedLines = 5;

/** What a file of conversations has to be. Both throw a usage error that says what it is instead. */
export const requireConversations = { form: requireForm, found: requireFound };

/** By its beginning: it can be read, and is in no other form. */
async function requireForm(path: string): Promise<void> {
  const file = await openRecords(path, (column) => readFields.has(column));
  if (file.container === 'parquet') throw convertible(path, 'it is Parquet');
  // Its columns are looked for as it is read.
  if (extname(path).toLowerCase() === '.csv') return;
  const { values } = await firstValues(file);
  const form = formOf(values);
  if (form === undefined || (file.container === 'jsonl' && values.some(hasMessages))) return;
  throw convertible(path, `it has the form ${form}, in ${containers[file.container]}`);
}

const containers = { jsonl: 'JSON Lines', json: 'one JSON document', csv: 'a table' } as const;

const hasMessages = (value: unknown): boolean => isObject(value) && Object.hasOwn(value, 'messages');

/** What was found in it: conversations, and no more malformed lines than are allowed. */
function requireFound(
  path: string,
  { count, lines, skipped }: Pick<IndexHeader, 'count' | 'lines' | 'skipped'>,
  maxMalformed: MalformedBound,
): void {
  if (lines === 0) throw refused(path, 'it has no lines', 'Give a file with one conversation a line.');
  const most = mostMalformed(lines, maxMalformed);
  if (count > 0 && skipped.lines <= most) return;
  const named = skipped.first.slice(0, namedLines).map(({ line, why }) => `  line ${String(line)}: ${why}`);
  throw refused(
    path,
    `${countOf(skipped.lines, 'line')} of ${formatCount(lines)} ${skipped.lines === 1 ? 'is' : 'are'} no conversation${count === 0 ? '' : `, and at most ${formatCount(most)} may be`}:\n${named.join('\n')}${skipped.lines > named.length ? '\n  ...' : ''}\nIt cannot be used`,
    count === 0
      ? `A line is {"messages":[{"role":"user","content":"..."}]}. Other forms are converted: ${conversionOf(path)}`
      : `Correct these lines, or leave them out: ${conversionOf(path)}\nfromFile('...', { maxMalformed: '5%' }) allows more.`,
  );
}

/** Of a share one line at least: the last one of a file is often cut off. */
function mostMalformed(lines: number, bound: MalformedBound): number {
  if ('lines' in bound) return bound.lines;
  return bound.share === 0 ? 0 : Math.max(1, Math.floor(lines * bound.share));
}

const convertible = (path: string, why: string): ChatLoadError =>
  refused(path, why, `Convert it: ${conversionOf(path)}`);

const conversionOf = (path: string): string =>
  `chat-load dataset convert ${shellWord(path)} --to ${shellWord(`${path.replace(/(\.\w+)?$/, '')}.converted.jsonl`)}`;

const refused = (path: string, why: string, hint: string): ChatLoadError =>
  new ChatLoadError('usage', { message: `The conversations cannot be read from ${path}: ${why}.`, hint });
