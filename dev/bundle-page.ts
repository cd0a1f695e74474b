// Bundles the code of the pages: a script for reports, one for the page of a run in progress, one for lists of results,
// and one style sheet; every page contains complete copies of its own.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { build } from 'rolldown';
import { bundled, packageOf } from './bundled.ts';

/** Bundles one of the pages. Escapes the slash of `</script`, which would end the script early. */
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
  const packages = new Set(output[0].moduleIds.flatMap((id) => packageOf(id) ?? []));
  const notices = await Promise.all([...packages].toSorted().map(noticeOf));
  for (const notice of notices) all.add(notice);
  return `${commentOf(notices)}${output[0].code}`.replaceAll('</script', '<\\/script').trimEnd();
}

/** Notices of every bundled package, of the pages and of the command. */
const all = new Set<string>();

async function noticeOf(name: string): Promise<string> {
  const { version, license } = JSON.parse(await readFile(`node_modules/${name}/package.json`, 'utf8')) as {
    version: string;
    license: string;
  };
  const text = await readFile(`node_modules/${name}/LICENSE`, 'utf8');
  return `${name} ${version} (${license})\n\n${text.replaceAll('\r\n', '\n').trim()}`;
}

/** Returns the comment with the notices that licences require. */
const commentOf = (notices: readonly string[]): string =>
  `/*!\nThis page contains:\n\n${notices.join('\n\n').replaceAll('*/', '* /')}\n*/\n`;

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
for (const name of bundled) all.add(await noticeOf(name));
await writeFile('dist/THIRD-PARTY-NOTICES', `${[...all].toSorted().join('\n\n----\n\n')}\n`);
