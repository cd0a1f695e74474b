import { realpathSync } from 'node:fs';
import { chmod, mkdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import cmdShim from 'cmd-shim';

/**
 * Puts the checkout's own command into its `node_modules/.bin`, as npm does with commands of dependencies: `npx
 * chat-load` then starts at once instead of first installing the checkout into its cache. The link is relative, so that
 * the folder can be moved; Windows needs the three files that npm writes there.
 */
export async function linkCommand(root: string, platform: NodeJS.Platform = process.platform): Promise<void> {
  const { bin } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> };
  for (const [name, path] of Object.entries(bin)) {
    const target = join(root, path);
    const link = join(root, 'node_modules/.bin', name);
    await mkdir(dirname(link), { recursive: true });
    if (platform === 'win32') await cmdShim(target, link);
    else await linkExecutable(target, link);
  }
}

async function linkExecutable(target: string, link: string): Promise<void> {
  await chmod(target, 0o755);
  const path = relative(dirname(link), target);
  if ((await readlink(link).catch(() => undefined)) === path) return;
  await rm(link, { force: true });
  await symlink(path, link);
}

const isStarted = realpathSync(process.argv[1] ?? '.') === realpathSync(fileURLToPath(import.meta.url));
if (isStarted) await linkCommand(fileURLToPath(new URL('..', import.meta.url)));
