import { renderAnnotations } from '../words/annotations.ts';
import { renderJunit } from '../words/junit.ts';
import type { Style } from '../words/table.ts';
import type { Ending, Report } from './report.ts';
import { writeTerminal } from './write-terminal.ts';
import { codeMarkdown, escapeMarkdown, markdownDetails, markdownList, markdownTable } from '../words/markdown-text.ts';
import { isOn, maxBarWidth, type OutlineBlock, type OutlineTable, type Section } from './outline.ts';

interface Options {
  format: 'terminal' | 'markdown' | 'junit' | 'annotations' | 'csv' | 'hlog';
  style: Style;
  ending: Ending;
}

/** Writes a document as text; `undefined` if it does not have the format. */
export function writeText<Document>(
  report: Report<Document>,
  document: Document,
  { format, style, ending }: Options,
): string | undefined {
  switch (format) {
    case 'terminal':
      return writeTerminal(report.outline(document, ending, format), style);
    case 'markdown':
      return writeMarkdown(report.outline(document, ending, format));
    case 'junit':
      return report.junit && renderJunit(report.junit(document, ending));
    case 'annotations':
      return report.junit && renderAnnotations(report.junit(document, ending));
    case 'csv':
    case 'hlog':
      return report[format]?.(document);
  }
}

/** Writes sections as Markdown, one paragraph per block. */
export function writeMarkdown(sections: readonly Section[]): string {
  return joined(
    sections
      .filter((section) => isOn(section, 'markdown'))
      .map(({ blocks, details }) => {
        const text = joined(blocks.filter((block) => isOn(block, 'markdown')).map(write));
        return details === undefined || text === '' ? text : markdownDetails(details, text);
      }),
  );
}

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n');

function write(block: OutlineBlock): string {
  switch (block.type) {
    case 'heading':
      return `### ${escapeMarkdown(block.text)}`;
    case 'text':
      return escapeMarkdown(block.text);
    case 'facts':
      return markdownList(block.facts.map(({ name, text }) => `**${name}** ${escapeMarkdown(text)}`));
    case 'list':
      return markdownList(block.texts.map(escapeMarkdown));
    case 'made':
      return block.markdown ?? '';
    case 'table':
      return writeTable(block);
    default:
      return '';
  }
}

function writeTable({ columns, rows }: OutlineTable): string {
  if (rows.length === 0) return '';
  const shown = columns.map((column, index) => ({ ...column, index })).filter((column) => isOn(column, 'markdown'));
  return markdownTable(
    shown.map(({ head, align = 'left' }) => ({ head: escapeMarkdown(head), align })),
    rows.map(({ cells }) =>
      shown.map(({ index, markdown }) => {
        const cell = cells[index] ?? '';
        const text = typeof cell === 'string' ? cell : cell(maxBarWidth);
        return markdown === 'made' ? text : markdown === 'code' ? codeMarkdown(text) : escapeMarkdown(text);
      }),
    ),
  );
}
