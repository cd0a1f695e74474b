import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { NewFile } from '../../edge/disk/write-new-files.ts';
import { pathInPackage } from '../../edge/path-in-package.ts';
import { toolVersion } from '../../edge/tool-version.ts';

/**
 * Where a package.json in a folder finds this very chat-load: the path of its checkout, if it runs from one; else its
 * version.
 */
export function packageSource(folder: string): string {
  const own = realpathSync(pathInPackage(''));
  if (own.split(sep).includes('node_modules')) return `^${toolVersion}`;
  return `file:${relative(realPath(resolve(folder)), own).replaceAll(sep, '/') || '.'}`;
}

/** Of a folder that need not be there yet. */
function realPath(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : join(realPath(dirname(folder)), basename(folder));
}

/** The files that it takes to run scenarios from a folder and to check their types. */
export async function projectFiles(folder: string): Promise<NewFile[]> {
  return [await packageFile(folder), typesFile];
}

/** The packages that scenarios need beside chat-load to check their types. */
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

/** For `npx tsc`; an editor reads it too. */
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
