import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execute, executeInTerminal, type Recording } from './command.ts';

const formats = ['terminal', 'html', 'markdown', 'junit', 'csv', 'hlog', 'json'];
const widths = [80, 120];

/** Records every format of every document, formats that a document does not have included, and terminals of two widths. */
export async function recordRenderings({ checkout, documents, folder }: Recording): Promise<void> {
  for (const document of (await readdir(documents)).filter((name) => name.endsWith('.json'))) {
    for (const format of formats) {
      const { code, stdout, stderr } = await execute(checkout, ['report', document, '--format', format], documents);
      await writeFile(join(folder, `${document}.${format}`), `exit ${String(code)}\n${stderr}${stdout}`);
    }
    for (const columns of widths) {
      const { code, stdout } = await executeInTerminal(checkout, ['report', document], { cwd: documents, columns });
      await writeFile(join(folder, `${document}.${String(columns)}`), `exit ${String(code)}\n${stdout}`);
    }
  }
}
