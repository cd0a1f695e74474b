import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFile } from 'node:fs/promises';
import type { PageAssets } from '../report/page/assemble.ts';

// Paths are not parts of URLs, in which `%`, `#` and `?` have meanings.
const packageFolder = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Returns the absolute path of a file of this package, such as `dist/index.js`. The package is two folders up both from here
 * and from `dist/parts`, where the build puts this module. Node.js cannot run the source: processes are started from `dist`.
 */
export function pathInPackage(path: string): string {
  return join(packageFolder, path);
}

/** Names pages of the documentation by paths that can be opened: `docs/` is a folder of the package, not of the user. */
export function withOpenPages(text: string): string {
  return text.replaceAll(/\bdocs\/(?=[\w/-]+(?:\.md|Dockerfile))/g, () => {
    const folder = pathInPackage('docs');
    const below = relative(process.cwd(), folder);
    return `${below.startsWith('..') ? folder : below}/`;
  });
}

/** Reads the script and style of a page from the build; `live`: the page of a run in progress, `ui`: a list of results. */
export async function readPageAssets(page: 'page' | 'live' | 'ui' = 'page'): Promise<PageAssets> {
  const [script, style] = await Promise.all(
    [`dist/page/${page}.js`, 'dist/page/page.css'].map((path) => readFile(pathInPackage(path), 'utf8')),
  );
  return { script: script ?? '', style: style ?? '' };
}
