import { clean } from './paragraph.ts';

/**
 * A text from anywhere as Markdown that shows it as it is, in a paragraph, a list or a table: no markup, no HTML, no end
 * of a cell, and on GitHub no mention of people or issues, no link, no emoji and no commit.
 */
export function escapeMarkdown(text: string): string {
  return (
    clean(text)
      .replace(/[\\`*_[\]{}|~$^]/g, '\\$&')
      // What would begin a list, a heading or a rule.
      .replace(/^(\d*)(?=[-+=#.)](?:[-=#\s]|$))/, '$1\\')
      .replace(/[&<>]/g, (mark) => entities[mark] ?? mark)
      // Markdown has no escape for these: GitHub looks for them in the finished page.
      .replace(live, `$&${noSpace}`)
  );
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const noSpace = '\u200b';

/** The characters after which GitHub no longer finds a mention, an issue, a link, an emoji (`:tada:`) or a commit. */
const live = new RegExp(
  [
    '@',
    '#(?=\\d)',
    'GH-(?=\\d)',
    ':(?=//|[a-z+-][\\w+\\\\-]*:)',
    '(?<!\\d):(?=\\d+:)',
    '(?:mailto|xmpp):',
    'www(?=\\.)',
    '\\b(?=[\\da-f]*\\d)(?=\\d*[a-f])[\\da-f]{4}(?=[\\da-f]{3,36}\\b)',
  ].join('|'),
  'gi',
);

/** A name of ours as code, without characters that would end the code or its cell. */
export function codeMarkdown(name: string): string {
  return `\`${clean(name).replace(/[`|\\]/g, ' ')}\``;
}

export interface MarkdownColumn {
  head: string;
  align?: 'left' | 'right';
}

/** A table of cells that are Markdown already. */
export function markdownTable(columns: readonly MarkdownColumn[], rows: readonly (readonly string[])[]): string {
  return [columns.map(({ head }) => head), columns.map(({ align }) => (align === 'right' ? '---:' : '---')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** A collapsed section. */
export function markdownDetails(summary: string, content: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

export function markdownList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
