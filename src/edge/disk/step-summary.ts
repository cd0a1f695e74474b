import { appendFile, stat } from 'node:fs/promises';
import { fileReason } from '../../base/file-reason.ts';
import { requireOwnLinks } from './require-own-links.ts';

/** Appends Markdown to the summary of a step on GitHub, where there is one. Gives a warning where it cannot be written. */
export async function appendStepSummary(
  markdown: () => string | Promise<string>,
  path: string | undefined = process.env['GITHUB_STEP_SUMMARY'],
): Promise<string | undefined> {
  if (path === undefined || path === '') return undefined;
  try {
    await requireOwnLinks(path);
    // A pipe that nobody reads would hold the command.
    const known = await stat(path).catch(() => undefined);
    if (known !== undefined && !known.isFile() && !known.isDirectory()) throw new Error('it is not a file');
    await appendFile(path, `${await markdown()}\n\n`);
    return undefined;
  } catch (thrown) {
    return `The step summary (GITHUB_STEP_SUMMARY) cannot be written: ${fileReason(thrown)}.`;
  }
}
