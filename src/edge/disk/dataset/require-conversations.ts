import { ChatLoadError } from '../../../base/errors.ts';
import { countOf } from '../../../base/format.ts';
import { foreignForm } from '../../../dataset/foreign-form.ts';
import type { MalformedBound } from '../../../scenario/conversation-file.ts';
import { readHeadOf } from '../read-head.ts';
import type { IndexHeader } from './index-header.ts';

const namedLines = 5;

/** What a file of conversations has to be. Both throw a usage error that says what it is instead. */
export const requireConversations = { form: requireForm, found: requireFound };

/** What is seen at its beginning: it is not empty, not compressed, and text. */
function requireForm(path: string, file: number): void {
  const head = readHeadOf(file);
  if (head.length === 0) throw refused(path, 'it is empty', 'Give a file with one conversation a line.');
  const begins = head.subarray(0, 4).toString('hex');
  if (begins.startsWith('1f8b'))
    throw refused(path, 'it is compressed (gzip)', `Unpack it first: gunzip --keep ${path}`);
  if (begins === '28b52ffd') throw refused(path, 'it is compressed (zstd)', `Unpack it first: zstd -d ${path}`);
  const form = foreignForm(head);
  if (form !== undefined) throw convertible(path, `it is ${form}`);
}

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
    `${countOf(skipped.lines, 'line')} of ${String(lines)} ${skipped.lines === 1 ? 'is' : 'are'} no conversation${count === 0 ? '' : `, and at most ${String(most)} may be`}:\n${named.join('\n')}${skipped.lines > named.length ? '\n  ...' : ''}\nIt cannot be used`,
    count === 0
      ? 'A line is {"messages":[{"role":"user","content":"..."}]}. Other forms are converted: chat-load dataset convert FILE --to OUT.jsonl.'
      : "Correct these lines, or allow more: fromFile('...', { maxMalformed: '5%' }).",
  );
}

/** Of a share one line at least: the last one of a file is often cut off. */
function mostMalformed(lines: number, bound: MalformedBound): number {
  if ('lines' in bound) return bound.lines;
  return bound.share === 0 ? 0 : Math.max(1, Math.floor(lines * bound.share));
}

const convertible = (path: string, why: string): ChatLoadError =>
  refused(
    path,
    why,
    `Convert it: chat-load dataset convert ${path} --to ${path.replace(/(\.\w+)?$/, '')}.converted.jsonl`,
  );

const refused = (path: string, why: string, hint: string): ChatLoadError =>
  new ChatLoadError('usage', { message: `The conversations cannot be read from ${path}: ${why}.`, hint });
