import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performCommand } from './command-in-process.ts';
import { makeFolder } from './command.ts';

/** Returns the page that `report` builds from documents, each in its own file. */
export async function reportOf(...documents: readonly object[]): Promise<string> {
  const folder = await makeFolder();
  const files = documents.map((_, at) => `document-${String(at + 1)}.json`);
  for (const [at, file] of files.entries()) await writeFile(join(folder, file), JSON.stringify(documents[at]));
  const { code, stdout, stderr } = await performCommand(['report', ...files, '--format', 'html'], {}, folder);
  if (code !== 0) throw new Error(`exit code ${String(code)}: ${stderr}`);
  return stdout;
}
