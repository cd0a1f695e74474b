import { printableTexts } from '../../base/printable.ts';
import type { DatasetDocument, Distribution } from '../../dataset/inspect/dataset-document.ts';
import { countOf, formatBytes, formatCount, formatNumber, formatShare } from '../words/format.ts';
import { oneLine } from '../words/one-line.ts';
import { renderTable, type Style } from '../words/table.ts';
import { wrap } from '../words/wrap.ts';
import { personalNames, placesOf, scatteredText, skipWords } from './conversion-lines.ts';

/** Renders what is in files of conversations, as text for a terminal. */
export function renderDataset(given: DatasetDocument, style: Style): string {
  const document = printableTexts(given);
  return [
    headLines(document, style),
    lengthTable(document, style),
    [languageLine(document), scriptLine(document), duplicateLine(document)]
      .flatMap((line) => hung(line, style))
      .join('\n'),
    personalTable(document, style),
    ...skippedLines(document, style),
    ...scatteredLines(document, style),
  ].join('\n\n');
}

function headLines({ files, conversations, user }: DatasetDocument, { colors }: Style): string {
  return [
    colors.bold(`dataset: ${countOf(conversations, 'conversation')}, ${countOf(user.count, 'turn')}`),
    ...files.map(
      ({ path, format, container, bytes }) =>
        `file      ${oneLine(path, Infinity)} (${oneLine(format)} in ${oneLine(container)}, ${formatBytes(bytes)})`,
    ),
  ].join('\n');
}

function lengthTable({ turns, user, assistant }: DatasetDocument, style: Style): string {
  const right = (head: string) => ({ head, align: 'right' as const });
  const rows = [
    row('turns a conversation', turns),
    row('characters, user', user.characters),
    row('characters, assistant', assistant.characters),
    row('tokens, user (estimated)', user.estimatedTokens),
    row('tokens, assistant (estimated)', assistant.estimatedTokens),
  ];
  return renderTable([{ head: 'LENGTHS' }, ...['mean', 'p50', 'p95', 'p99', 'max'].map(right)], rows, style);
}

const row = (name: string, distribution: Distribution | null): string[] =>
  distribution === null
    ? [name, '-', '-', '-', '-', '-']
    : [
        name,
        formatNumber(distribution.mean),
        ...[distribution.p50, distribution.p95, distribution.p99, distribution.max].map(formatCount),
      ];

const mostLanguages = 8;

function languageLine({ languages: { stated, unstated }, conversations }: DatasetDocument): string {
  const named = stated
    .slice(0, mostLanguages)
    .map(({ language, conversations: of }) => `${oneLine(language, 20)} ${formatShare(of / conversations)}`);
  const rest = stated.slice(mostLanguages).reduce((sum, { conversations: of }) => sum + of, 0);
  const parts = [
    ...named,
    ...(rest > 0 ? [`${countOf(stated.length - mostLanguages, 'other')} ${formatShare(rest / conversations)}`] : []),
    ...(unstated > 0 ? [`not stated ${formatShare(unstated / conversations)}`] : []),
  ];
  return `languages ${parts.length === 0 ? '-' : parts.join(', ')}`;
}

function scriptLine({ languages: { scripts }, conversations }: DatasetDocument): string {
  const parts = Object.entries(scripts).map(([script, of]) => `${script} ${formatShare(of / conversations)}`);
  return `scripts   ${parts.length === 0 ? '-' : parts.join(', ')} (of what users say; a guess that tells writing apart, not languages)`;
}

function duplicateLine({ duplicates: { exact, near, compared }, conversations }: DatasetDocument): string {
  const least = compared === 'part' ? 'at least ' : '';
  const share = (count: number): string => (conversations === 0 ? '' : ` (${formatShare(count / conversations)})`);
  return `repeated  ${least}${formatCount(exact)} exactly${share(exact)}, ${least}about ${formatCount(near)} nearly${share(near)}`;
}

function personalTable({ personal }: DatasetDocument, style: Style): string {
  if (personal.length === 0)
    return hung(
      'personal  nothing was found; names and postal addresses are not looked for: this is no guarantee',
      style,
    ).join('\n');
  const rows = personal.map(({ kind, count, conversations, examples }) => [
    personalNames[kind][1],
    formatCount(count),
    formatCount(conversations),
    examples
      .map(({ where, detail }) => `${oneLine(detail, 40)} (${oneLine(where)})`)
      .slice(0, mostShown)
      .join(', '),
  ]);
  const columns = [
    { head: 'LOOKS PERSONAL' },
    { head: 'places', align: 'right' as const },
    { head: 'conversations', align: 'right' as const },
    { head: 'such as' },
  ];
  const words =
    'Names and postal addresses are not looked for. convert --redact replaces what was found; it is no guarantee.';
  return `${renderTable(columns, rows, style)}\n${wrap(words, style.width).join('\n')}`;
}

const mostShown = 2;

function skippedLines({ skipped }: DatasetDocument, style: Style): string[] {
  const lines = skipped.flatMap(({ reason, count, first }) =>
    hung(`skipped   ${formatCount(count)} ${skipWords[reason]}${placesOf(count, first)}`, style),
  );
  return lines.length === 0 ? [] : [lines.join('\n')];
}

const scatteredLines = ({ scattered }: DatasetDocument, style: Style): string[] =>
  scattered === 0 ? [] : [hung(`warning   ${scatteredText(scattered)}`, style).join('\n')];

/** A line of a name and a text that goes on below the text. */
function hung(line: string, { width }: Style): string[] {
  const indent = 10;
  const [first = '', ...rest] = wrap(line.slice(indent), Math.max(20, width - indent));
  return [line.slice(0, indent) + first, ...rest.map((text) => ' '.repeat(indent) + text)];
}
