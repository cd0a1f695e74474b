import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Lines of a file that are printed for each side. */
const maxLines = 6;

/** Compares two folders of recordings, file by file. */
export async function difference(before: string, after: string): Promise<{ text: string; files: number }> {
  const names = new Set([...(await readdir(before)), ...(await readdir(after))]);
  const parts: string[] = [];
  for (const name of [...names].sort()) {
    const [old, now] = await Promise.all([linesOf(join(before, name)), linesOf(join(after, name))]);
    if (old.join('\n') === now.join('\n')) continue;
    parts.push(`${name}\n${only('-', old, now)}${only('+', now, old)}`);
  }
  return { text: parts.join(''), files: parts.length };
}

/** Lists the lines that only one side has. */
function only(sign: string, lines: readonly string[], others: readonly string[]): string {
  const known = new Set(others);
  const own = lines.filter((line) => !known.has(line));
  const shown = own.slice(0, maxLines).map((line) => `  ${sign} ${line.slice(0, 200)}\n`);
  return shown.join('') + (own.length > maxLines ? `  ${sign} ... ${String(own.length)} lines\n` : '');
}

async function linesOf(path: string): Promise<string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ['(no such recording)'];
    throw error;
  }
}
