import { readFile } from 'node:fs/promises';
import type { PageAssets } from '../../report/page/assemble.ts';
import { pathInPackage } from '../path-in-package.ts';

/** Reads the page's own code and looks, which the build has put beside the commands. */
export async function readPageAssets(): Promise<PageAssets> {
  const [script, style] = await Promise.all(
    ['dist/page/page.js', 'dist/page/page.css'].map((path) => readFile(pathInPackage(path), 'utf8')),
  );
  return { script: script ?? '', style: style ?? '' };
}
