import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns a file that is rewritten for every input, in a folder deleted with the process. */
export function scratchFile(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'chat-load-fuzz-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}
