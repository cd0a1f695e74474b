import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreText, missingIgnores } from '../../app/init/ignored-files.ts';
import type { NewFile } from '../../edge/disk/write-new-files.ts';
import { stdout } from '../console/terminal.ts';

export const ignoreFile: NewFile = { path: '.gitignore', text: ignoreText };

/** Lists the files that exist already, and the lines to add to a `.gitignore` among them: none is changed. */
export async function noteKept(folder: string, kept: readonly NewFile[]): Promise<void> {
  for (const { path } of kept) stdout.note(`kept      ${join(folder, path)}`);
  if (!kept.includes(ignoreFile)) return;
  const missing = missingIgnores(await readFile(join(folder, ignoreFile.path), 'utf8'));
  if (missing.length > 0) stdout.note(`ignore    add to ${join(folder, ignoreFile.path)}: ${missing.join(' ')}`);
}
