import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { NewFile } from '../../edge/disk/write-new-files.ts';
import { pathInPackage } from '../../edge/path-in-package.ts';
import { toolVersion } from '../../edge/tool-version.ts';

/**
 * Returns the source of chat-load for a package.json in a folder: the path of its checkout, if it runs from one, otherwise
 * its version.
 */
export function packageSource(folder: string): string {
  const own = realpathSync(pathInPackage(''));
  if (own.split(sep).includes('node_modules')) return `^${toolVersion}`;
  return `file:${relative(realPath(resolve(folder)), own).replaceAll(sep, '/') || '.'}`;
}

/** Resolves links in the path of a folder that may not exist yet. */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : join(realPath(dirname(folder)), basename(folder));
}

/** Returns the files needed to run scenarios from a folder and to check their types. */
export async function projectFiles(folder: string): Promise<NewFile[]> {
  return [await packageFile(folder), typesFile];
}

/** Packages, besides chat-load, needed to check the types of scenarios. */
export const typePackages = ['@types/node', 'typescript'] as const;

async function packageFile(folder: string): Promise<NewFile> {
  const { devDependencies } = JSON.parse(await readFile(pathInPackage('package.json'), 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>;
  };
  const types = typePackages.map((name) => [name, devDependencies[name] ?? '*'] as const);
  return jsonFile('package.json', {
    private: true,
    type: 'module',
    devDependencies: Object.fromEntries([['chat-load', packageSource(folder)] as const, ...types].sort()),
  });
}

const jsonFile = (path: string, content: object): NewFile => ({ path, text: `${JSON.stringify(content, null, 2)}\n` });

/** Configuration for `npx tsc` and editors. */
const typesFile = jsonFile('tsconfig.json', {
  compilerOptions: {
    target: 'ES2023',
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
});
