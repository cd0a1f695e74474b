import { readFile } from 'node:fs/promises';
import type { PageAssets } from '../../report/page/assemble.ts';
import { pathInPackage } from '../path-in-package.ts';

/** Reads a page's own code and looks, which the build has put beside the commands; `live`: of the page of a run under way, `ui`: of a list of results. */
export async function readPageAssets(page: 'page' | 'live' | 'ui' = 'page'): Promise<PageAssets> {
  const [script, style] = await Promise.all(
    [`dist/page/${page}.js`, 'dist/page/page.css'].map((path) => readFile(pathInPackage(path), 'utf8')),
  );
  return { script: script ?? '', style: style ?? '' };
}
