import type { Comparison, Refusal } from '../../compare/document/comparison.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';
import { comparisonWarnings, differenceText, refusalWayText } from './comparison-words.ts';

type Judged = Pick<Comparison, 'comparability' | 'warnings'>;

/** What makes the comparison meaningless, and the remedy; '' if nothing does. */
export function refusalLines({ comparability }: Judged, style: Style): string {
  const { refusals, forced } = comparability;
  if (refusals.length === 0) return '';
  const { colors, width } = style;
  const title = forced ? 'COMPARED ANYWAY (--force), ALTHOUGH' : 'REFUSED, BECAUSE';
  return [
    (forced ? colors.yellow : colors.red)(title),
    ...refusals.map((refusal) => differenceLines(forced ? { ...refusal, remedy: null } : refusal, style)),
    ...(forced ? [] : [paragraph(refusalWayText(comparability, '--force'), { width })]),
  ].join('\n');
}

const differenceLines = (refusal: Refusal, { colors, width }: Style): string => {
  const indent = ' '.repeat(4);
  return [
    paragraph(differenceText(refusal), { width, first: '  - ' }),
    paragraph(refusal.message, { width, first: indent, paint: colors.dim }),
    ...(refusal.remedy === null ? [] : [paragraph(refusal.remedy, { width, first: indent })]),
  ].join('\n');
};

/** What differs and may explain a change, and what else to know; '' for nothing. */
export function warningLines(comparison: Judged, { colors, width }: Style): string {
  const first = `${colors.yellow('warning')}   `;
  return comparisonWarnings(comparison)
    .map((text) => paragraph(text, { width, first }))
    .join('\n');
}
