// Writes the sources of the documentation site into dev/site/.pages: README.md, every page that it reaches by links, and a
// page for each other file that a page links, so that the same text reads well here and there. Links to tests become text.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };
import { labelOf, navigation, type Section } from './navigation.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = join(root, 'dev/site/.pages');

const names: Readonly<Record<string, string>> = {
  'README.md': 'index.md',
  'docs/README.md': 'overview.md',
  'SECURITY.md': 'security.md',
  'CHANGELOG.md': 'changelog.md',
};

/** Returns the path of a file of the repository in the site. Images and JSON keep their form, all other files are pages. */
function pathInSite(file: string): string {
  const name = names[file];
  if (name !== undefined) return name;
  if (extname(file) === '.json') return `public/${file.replace(/^docs\//, '')}`;
  if (file.startsWith('docs/') && /\.(md|png)$/.test(file)) return file.slice('docs/'.length);
  return `files/${file.replace(/\.md$/, '')}.md`;
}

const link = /(\]\()(?!\w+:|#)([^)#\s]+)/g;

/** Applies `change` to the text outside of code blocks. */
function changeProse(text: string, change: (prose: string) => string): string {
  return text
    .split(/(^```.*?^```$)/ms)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('');
}

const seen = new Set(['README.md', 'docs/README.md']);

/** Returns the text of a page for the site, and notes the files that it links. */
function pageFor(file: string, text: string): string {
  const from = dirname(pathInSite(file));
  // Pages with wide tables have no outline next to them.
  const header = /^(\|[^|\n]*){6}/m.test(text) ? '---\naside: false\n---\n\n' : '';
  return `${header}${changeProse(text, (prose) =>
    prose
      .replaceAll(/<!--.*?-->\n?/gs, '')
      .replaceAll(/\[([^\]]*)\]\((?:\.\.\/)*(?:src|test)\/[^)]*\)/g, '$1')
      .replaceAll(link, (_, start: string, to: string) => {
        const linked = posix.join(dirname(file), to);
        seen.add(linked);
        const path = pathInSite(linked);
        return `${start}${path.startsWith('public/') ? path.slice('public'.length) : posix.relative(from, path)}`;
      }),
  )}`;
}

/** Returns a page that shows a file; it is not searched. */
const codePage = (file: string, text: string): string =>
  `---\nsearch: false\n---\n\n# ${posix.basename(file)}\n\n\`${file}\` of the repository.\n\n~~~~${extname(file).slice(1)}\n${text}~~~~\n`;

function write(path: string, text: string): void {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), text);
}

rmSync(out, { recursive: true, force: true });
// Grows while it is walked.
for (const file of seen) {
  const path = pathInSite(file);
  if (!path.endsWith('.md')) cpSync(join(root, file), join(out, path), { recursive: true });
  else {
    const text = readFileSync(join(root, file), 'utf8');
    write(path, file.endsWith('.md') ? pageFor(file, text) : codePage(file, text));
  }
}

const titleOf = (path: string): string => labelOf(readFileSync(join(out, path), 'utf8'));
const sections = navigation(readFileSync(join(out, 'overview.md'), 'utf8'), titleOf);
write('navigation.json', JSON.stringify(sections));
write('public/llms.txt', indexOf(sections));

/** Returns the index for language models, in the form of llmstxt.org: each page has a Markdown form. */
function indexOf(all: readonly Section[]): string {
  const lists = all.map(({ text, items }) => {
    const pages = items.flatMap((item) => ('items' in item ? item.items : [item]));
    return `## ${text}\n\n${pages.map((page) => `- [${page.text}](${page.link.slice(1)}.md)`).join('\n')}\n`;
  });
  return [`# ${manifest.name}\n\n> ${manifest.description}\n\n- [Overview](index.md)\n`, ...lists].join('\n');
}
