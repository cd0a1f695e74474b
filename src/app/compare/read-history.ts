import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { historySchema, type History } from '../../compare/document/history.ts';

/**
 * Reads a history that trend keeps. `undefined` as path: the `history.json` of a folder, if there is one; `null`: none.
 */
export async function readHistory(path: string | null | undefined, folder: string): Promise<History | undefined> {
  if (path === null) return undefined;
  const beside = join(folder, 'history.json');
  if (path === undefined && !existsSync(beside)) return undefined;
  const file = path ?? beside;
  try {
    return historySchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `${file} is not a readable history: ${messageOf(thrown).split('\n')[0] ?? ''}`,
      hint: 'chat-load trend --history FILE writes it again; --no-history compares without it.',
      cause: thrown,
    });
  }
}
