import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ChatLoadError } from '../../base/errors.ts';

/**
 * Throws a usage error where a file that is to be written, by its flag, is one of those that are read, or is written twice:
 * one of them would be lost.
 */
export async function requireOtherFiles(
  written: Readonly<Record<string, string | undefined>>,
  read: readonly string[],
): Promise<void> {
  const taken = new Map<string, string>(
    await Promise.all(read.map(async (file) => [await placeOf(file), `read: ${file}`] as const)),
  );
  for (const [flag, file] of Object.entries(written)) {
    if (file === undefined) continue;
    const place = await placeOf(file);
    const other = taken.get(place);
    if (other !== undefined)
      throw new ChatLoadError('usage', {
        message: `--${flag} ${file} would replace a file that is ${other}.`,
        hint: 'Nothing was written. Name another file.',
      });
    taken.set(place, `written by --${flag}`);
  }
}

const placeOf = (file: string): Promise<string> => realpath(file).catch(() => resolve(file));
