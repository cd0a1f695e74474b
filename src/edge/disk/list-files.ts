import { readdirSync } from 'node:fs';
import { ChatLoadError } from '../../base/errors.ts';
import { fileReason } from '../../base/file-reason.ts';

/** The names of the files in a folder, sorted; not the hidden ones, among which are those that are just being written. Throws a usage error. */
export function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .toSorted();
  } catch (thrown) {
    throw new ChatLoadError('usage', {
      message: `The folder ${folder} cannot be read: ${fileReason(thrown)}.`,
      hint: 'Name the folder that holds results, such as results; chat-load run writes there.',
      cause: thrown,
    });
  }
}

/** Those of them that are JSON by their names. */
export function listJson(folder: string): string[] {
  return listFiles(folder).filter((name) => name.endsWith('.json'));
}
