// Bundles the code of the pages: a script for reports, one for the page of a run under way, one for lists of results, and one
// style sheet; every page holds its own whole.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { build } from 'rolldown';

/** Bundles one of the pages. What ends a script early in HTML means the same in a string of JavaScript with its slash escaped. */
async function bundle(input: string): Promise<string> {
  const { output } = await build({
    platform: 'browser',
    logLevel: 'warn',
    input,
    tsconfig: 'src/page/tsconfig.json',
    transform: { target: 'es2022' },
    output: { format: 'iife', minify: true, comments: { legal: true } },
    write: false,
  });
  return output[0].code.replaceAll('</script', '<\\/script').trimEnd();
}

const style = await Promise.all(
  [createRequire(import.meta.url).resolve('uplot/dist/uPlot.min.css'), 'src/page/page.css'].map((path) =>
    readFile(path, 'utf8'),
  ),
);
await mkdir('dist/page', { recursive: true });
await writeFile('dist/page/page.js', await bundle('src/page/main.tsx'));
await writeFile('dist/page/live.js', await bundle('src/page/live/main.tsx'));
await writeFile('dist/page/ui.js', await bundle('src/page/ui/main.tsx'));
await writeFile('dist/page/page.css', style.join('\n').trimEnd());
