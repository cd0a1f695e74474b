import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';
import { historySchema, type History } from '../../compare/document/history.ts';
import { parseDocument } from '../../edge/disk/parse-document.ts';
import { readText } from '../../edge/disk/read-result.ts';

/**
 * Reads a history that trend keeps. `undefined` as path: the `history.json` of a folder, if there is one; `null`: none.
 */
export async function readHistory(path: string | null | undefined, folder: string): Promise<History | undefined> {
  if (path === null) return undefined;
  const beside = join(folder, 'history.json');
  if (path === undefined && !existsSync(beside)) return undefined;
  const file = path ?? beside;
  const reading = parseDocument(await readText(file), 'chat-load/history', historySchema);
  if ('part' in reading) return reading.part;
  throw new ChatLoadError('usage', {
    message: `${file} ${reading.problem}.`,
    hint: 'chat-load trend --history FILE writes it again; --no-history compares without it.',
  });
}
