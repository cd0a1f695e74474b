import { fileURLToPath } from 'node:url';
import { readFile } from 'node:fs/promises';
import type { PageAssets } from '../report/page/assemble.ts';

/**
 * The absolute path of a file of this package, such as `dist/index.js`. Two folders up is the package both from here and
 * from `dist/parts`, where the build puts this module. Node.js cannot run the source as it is: what is to be started is
 * named in `dist`, from there too.
 */
export function pathInPackage(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** Reads a page's own code and looks, which the build has put beside the commands; `live`: of the page of a run under way, `ui`: of a list of results. */
export async function readPageAssets(page: 'page' | 'live' | 'ui' = 'page'): Promise<PageAssets> {
  const [script, style] = await Promise.all(
    [`dist/page/${page}.js`, 'dist/page/page.css'].map((path) => readFile(pathInPackage(path), 'utf8')),
  );
  return { script: script ?? '', style: style ?? '' };
}
