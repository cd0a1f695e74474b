import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';
import { resultKind, resultSchema, type Result } from '../../result/result.ts';
import { readTextOf } from '../open-file.ts';
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
      hint: 'Name a result file, as chat-load run writes it.',
      cause: thrown,
    });
  }
}
