import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Ended } from './command.ts';

/** Forms in which a secret may appear. Written independently of the code that removes it. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const behind = (before: string): string =>
    Buffer.from(before + secret)
      .toString('base64')
      .slice(Math.ceil((before.length * 4) / 3), -4);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    encodeURIComponent(secret),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    behind('a'),
    behind('ab'),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ];
}

/** Every text that a command left: its output, and the names and contents of the files in a folder, hidden ones too. */
export async function artefactsOf(folder: string, ended: readonly Ended[]): Promise<Record<string, string>> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const contents = files
    .filter((file) => file.isFile())
    .map(
      async ({ parentPath, name }) => [name, `${name}\n${await readFile(join(parentPath, name), 'latin1')}`] as const,
    );
  const outputs = ended.map(
    ({ stdout, stderr }, index) => [`output ${String(index)}`, `${stdout}\n${stderr}`] as const,
  );
  return Object.fromEntries([...outputs, ...(await Promise.all(contents))]);
}

/** Finds secrets: returns the name of each artifact and the text around the secret. */
export function findLeaks(artefacts: Readonly<Record<string, string>>, secrets: readonly string[]): string[] {
  return Object.entries(artefacts).flatMap(([name, text]) =>
    secrets.flatMap((secret) => {
      const at = text.indexOf(secret);
      return at === -1 ? [] : [`${name}: ${JSON.stringify(text.slice(Math.max(0, at - 80), at + secret.length + 20))}`];
    }),
  );
}
