import { printableTexts } from '../../base/printable.ts';
import type { DatasetDocument, Distribution } from '../../dataset/inspect/dataset-document.ts';
import { asIs, flush, heads, made, table, text, type OutlineBlock, type Section } from '../outline/outline.ts';
import type { Report } from '../outline/report.ts';
import { countOf, formatBytes, formatCount, formatNumber, formatShare } from '../../base/format.ts';
import { oneLine, wrap } from '../words/width.ts';
import { personalNames, placesOf, scatteredText, skipTexts } from './conversion-lines.ts';

export const datasetReport: Report<DatasetDocument> = { outline: datasetOutline };

function datasetOutline(given: DatasetDocument): Section[] {
  const document = printableTexts(given);
  const { files, conversations, turns, user, assistant, skipped, scattered } = document;
  return [
    {
      blocks: [
        text(`dataset: ${countOf(conversations, 'conversation')}, ${countOf(user.count, 'turn')}`, 'bold'),
        ...files.map(({ path, format, container, bytes }) =>
          asIs(
            `file      ${oneLine(path, Infinity)} (${oneLine(format)} in ${oneLine(container)}, ${formatBytes(bytes)})`,
          ),
        ),
      ],
    },
    {
      blocks: [
        table('', heads('lengths', '>mean', '>p50', '>p95', '>p99', '>max'), [
          lengthRow('turns per conversation', turns),
          lengthRow('characters, user', user.characters),
          lengthRow('characters, assistant', assistant.characters),
          lengthRow('tokens, user (estimated)', user.estimatedTokens),
          lengthRow('tokens, assistant (estimated)', assistant.estimatedTokens),
        ]),
      ],
    },
    { blocks: [languageText(document), scriptText(document), duplicateText(document)].map(hung) },
    personalSection(document),
    {
      blocks: skipped.map(({ reason, count, first }) =>
        hung(`skipped   ${formatCount(count)} ${skipTexts[reason]}${placesOf(count, first)}`),
      ),
    },
    { blocks: scattered === 0 ? [] : [hung(`warning   ${scatteredText(scattered)}`)] },
  ];
}

function lengthRow(name: string, distribution: Distribution | null): string[] {
  if (distribution === null) return [name, '-', '-', '-', '-', '-'];
  const { mean, p50, p95, p99, max } = distribution;
  return [name, formatNumber(mean), ...[p50, p95, p99, max].map(formatCount)];
}

const maxLanguages = 8;

function languageText({ languages: { stated, unstated }, conversations }: DatasetDocument): string {
  const named = stated
    .slice(0, maxLanguages)
    .map(({ language, conversations: of }) => `${oneLine(language, 20)} ${formatShare(of / conversations)}`);
  const rest = stated.slice(maxLanguages).reduce((sum, { conversations: of }) => sum + of, 0);
  const parts = [
    ...named,
    ...(rest > 0 ? [`${countOf(stated.length - maxLanguages, 'other')} ${formatShare(rest / conversations)}`] : []),
    ...(unstated > 0 ? [`not stated ${formatShare(unstated / conversations)}`] : []),
  ];
  return `languages ${parts.length === 0 ? '-' : parts.join(', ')}`;
}

function scriptText({ languages: { scripts }, conversations }: DatasetDocument): string {
  const parts = Object.entries(scripts).map(([script, of]) => `${script} ${formatShare(of / conversations)}`);
  return `scripts   ${parts.length === 0 ? '-' : parts.join(', ')} (of user messages; estimated by script, not by language)`;
}

function duplicateText({ duplicates: { exact, near, compared }, conversations }: DatasetDocument): string {
  const min = compared === 'part' ? 'at least ' : '';
  const share = (count: number): string => (conversations === 0 ? '' : ` (${formatShare(count / conversations)})`);
  return `repeated  ${min}${formatCount(exact)} identical${share(exact)}, ${min}${near === 0 ? '' : 'about '}${formatCount(near)} near-identical${share(near)}`;
}

const maxShown = 2;

function personalSection({ personal }: DatasetDocument): Section {
  const notSearched = 'ames and postal addresses are not searched for';
  if (personal.length === 0) return { blocks: [hung(`personal  nothing found; n${notSearched} (no guarantee)`)] };
  const rows = personal.map(({ kind, count, conversations, examples }) => {
    const named = examples.map(({ where, detail }) => `${oneLine(detail, 40)} (${oneLine(where)})`);
    const counts = [count, conversations].map(formatCount);
    return [personalNames[kind][1], ...counts, named.slice(0, maxShown).join(', ')];
  });
  return {
    blocks: [
      table('', heads('personal data', '>matches', '>conversations', 'examples'), rows),
      flush(`N${notSearched}. convert --redact replaces these matches; there is no guarantee that it finds all.`),
    ],
  };
}

/** Builds a line of a name and a text with a hanging indent. */
function hung(line: string): OutlineBlock {
  const indent = 10;
  return made(({ width }) => {
    const lines = wrap(line.slice(indent), Math.max(20, width - indent));
    return lines.map((words, at) => (at === 0 ? line.slice(0, indent) : ' '.repeat(indent)) + words).join('\n');
  });
}
