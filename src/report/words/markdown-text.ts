import { clean } from './paragraph.ts';

/**
 * Escapes a text of any origin, so that Markdown shows it verbatim in a paragraph, list or table: without markup or HTML,
 * and on GitHub without mentions, issues, links, emoji and commits.
 */
export function escapeMarkdown(text: string): string {
  return (
    clean(text)
      .replace(/[\\`*_[\]{}|~$^]/g, '\\$&')
      // Start of a list, a heading or a rule.
      .replace(/^(\d*)(?=[-+=#.)](?:[-=#\s]|$))/, '$1\\')
      .replace(/[&<>]/g, (mark) => entities[mark] ?? mark)
      // Markdown cannot escape these: GitHub searches for them in the rendered page.
      .replace(live, `$&${noSpace}`)
  );
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const noSpace = '\u200b';

/** Positions at which a zero-width space prevents GitHub from linking a mention, issue, URL, emoji (`:tada:`) or commit. */
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

/** Formats a name as code, without characters that would end the code or its cell. */
export function codeMarkdown(name: string): string {
  return `\`${clean(name).replace(/[`|\\]/g, ' ')}\``;
}

export interface MarkdownColumn {
  head: string;
  align?: 'left' | 'right';
}

/** Builds a table of cells that contain Markdown. */
export function markdownTable(columns: readonly MarkdownColumn[], rows: readonly (readonly string[])[]): string {
  return [columns.map(({ head }) => head), columns.map(({ align }) => (align === 'right' ? '---:' : '---')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Builds a collapsed section. */
export function markdownDetails(summary: string, content: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

export function markdownList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join('\n');
}
