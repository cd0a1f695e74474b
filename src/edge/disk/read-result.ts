import { stat } from 'node:fs/promises';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { resultKind, resultSchema, type Result } from '../../result/result.ts';
import { readTextOf } from '../open-file.ts';
import { findResults } from './find-results.ts';
import { parseDocument, type DocumentReading } from './parse-document.ts';

/**
 * Reads one result. Throws a usage error that names the file when it is not a result, or a damaged one, and
 * `not_comparable` when it is a result of a version that this chat-load cannot read.
 */
export async function readResult(file: string): Promise<Result> {
  return requireDocument(file, parseDocument(await readText(file), resultKind, resultSchema));
}

/** What was read of a file, or an error that names it. */
export function requireDocument<Document>(file: string, reading: DocumentReading<Document>): Document {
  if ('part' in reading) return reading.part;
  const { why, problem, hint } = reading;
  throw new ChatLoadError(why === 'version' ? 'not_comparable' : 'usage', { message: `${file} ${problem}.`, hint });
}

/** The text of a file that the user named. Throws a usage error. */
export async function readText(file: string): Promise<string> {
  try {
    return await readTextOf(file);
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `${file} cannot be read: ${fileReason(thrown)}.`,
      hint: await whichFile(file),
      cause: thrown,
    });
  }
}

/** Names the newest results of a folder that was named in place of one. */
async function whichFile(path: string): Promise<string> {
  // Nothing is there to name: the message says why the path cannot be read.
  const results = await findResults([path]).catch((): string[] => []);
  const ages = await Promise.all(
    results.map(async (file) => ({
      file,
      writtenAt: await stat(file).then(
        ({ mtimeMs }) => mtimeMs,
        () => 0,
      ),
    })),
  );
  const newest = ages.toSorted((a, b) => b.writtenAt - a.writtenAt).slice(0, 3);
  return newest.length === 0 || results.includes(path)
    ? 'Name a result file, as chat-load run writes it.'
    : `Name a result file in it: the newest ${newest.length === 1 ? 'is' : 'are'} ${newest.map(({ file }) => file).join(', ')}.`;
}
