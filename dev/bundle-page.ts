// Bundles the code of the pages: one script and one style sheet, which every page holds whole.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { build } from 'rolldown';

const { output } = await build({
  platform: 'browser',
  logLevel: 'warn',
  input: 'src/page/main.tsx',
  tsconfig: 'src/page/tsconfig.json',
  transform: { target: 'es2022' },
  output: { format: 'iife', minify: true, comments: { legal: true } },
  write: false,
});
// What ends a script early in HTML means the same in a string of JavaScript with its slash escaped.
const script = output[0].code.replaceAll('</script', '<\\/script');
const style = await Promise.all(
  [createRequire(import.meta.url).resolve('uplot/dist/uPlot.min.css'), 'src/page/page.css'].map((path) =>
    readFile(path, 'utf8'),
  ),
);
await mkdir('dist/page', { recursive: true });
await writeFile('dist/page/page.js', script.trimEnd());
await writeFile('dist/page/page.css', style.join('\n').trimEnd());
