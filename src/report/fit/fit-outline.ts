import { printableTexts } from '../../base/printable.ts';
import type { Fit, QuantityFit } from '../../fit/document/fit.ts';
import { headless, heads, list, made, painted, text, type Section } from '../outline/outline.ts';
import type { Report } from '../outline/report.ts';
import { countOf, formatMs, formatPerSecond, formatShare } from '../../base/format.ts';
import { fittingTable, type Style } from '../words/table.ts';
import { sparkline } from '../words/bars.ts';
import {
  distributionText,
  insteadText,
  noteText,
  poorFits,
  poorText,
  quantityNames,
  valueText,
  warnings,
  zerosText,
  type QuantityName,
} from './fit-text.ts';
import { processText } from './source-text.ts';

export const fitReport: Report<Fit> = { outline: fitOutline };

function fitOutline(document: Fit): Section[] {
  const fit = printableTexts(document);
  const named = fit.inputs.map(inputText);
  return [
    { blocks: [text(`Fitted workload: ${named.join(', and ')}`, 'bold')] },
    { blocks: [headless((style) => partRows(fit, style))] },
    { blocks: [made((style) => quantileTable(fit, style))] },
    { blocks: [list(warningTexts(fit), { first: [painted('warning ', 'yellow')] })] },
    {
      blocks: [
        list([...shortLines(fit), ...poorLines(fit, true), ...noteLines(fit, false)], {
          first: [painted('note    ', 'dim')],
        }),
      ],
    },
  ];
}

function inputText({ file, holds, count, form, times }: Fit['inputs'][number]): string {
  const reading = form === undefined || times === undefined ? '' : ` (${form}, times: ${times})`;
  return `${file}, ${countOf(count, holds === 'trace' ? 'session' : 'conversation')}${reading}`;
}

const partRows = (fit: Fit, style: Style): string[][] => [
  ...arrivalRows(fit, style),
  ...quantitiesOf(fit).map(({ name, quantity }) => [
    name.toUpperCase(),
    `${distributionText(quantity.distribution, quantity.unit)} (${countOf(quantity.count, 'value')})`,
  ]),
];

function arrivalRows({ arrivals }: Fit, { width }: Style): string[][] {
  if (arrivals === null) return [];
  const { rate, lengthMs, sessionsPerSecond } = arrivals;
  const over = `${formatPerSecond(sessionsPerSecond)} over ${formatMs(lengthMs)}`;
  if (rate?.varies !== true) return [['ARRIVALS', `${over}, steady. ${processText(arrivals)}`]];
  const values = rate.perSecond;
  const line = sparkline({ values, max: Math.max(10, width - 50), minRange: 0 });
  const range = `${formatPerSecond(Math.min(...values))} to ${formatPerSecond(Math.max(...values))}`;
  return [
    ['ARRIVALS', `${over}. ${processText(arrivals)}`],
    [`RATE PER ${formatMs(rate.binMs)}`, `${line} ${range}`],
  ];
}

const quantitiesOf = (fit: Fit): { name: string; quantity: QuantityFit }[] =>
  (Object.keys(quantityNames) as QuantityName[]).flatMap((key) => {
    const quantity = fit[key];
    return quantity === null ? [] : [{ name: quantityNames[key], quantity }];
  });

function quantileTable(fit: Fit, style: Style): string {
  const shown = [
    ...(fit.arrivals?.gaps == null ? [] : [{ name: 'gaps between sessions', quantity: fit.arrivals.gaps }]),
    ...quantitiesOf(fit),
  ];
  const [first] = shown;
  if (first === undefined) return '';
  const goes: Readonly<Record<number, string>> = { 0.9: '/1', 0.25: '/2', 0.75: '/3', 0.1: '/5' };
  const quantiles = first.quantity.quantiles.map(({ p }) => `>p${String(100 * p)}${goes[p] ?? ''}`);
  const columns = heads('DATA AND FIT', '', '>mean/4', ...quantiles, '>distance');
  const rows = shown.flatMap(({ name, quantity }) => {
    const { unit, quantiles, mean, distance, poor } = quantity;
    const cellsOf = (of: 'data' | 'fit'): string[] =>
      [mean[of], ...quantiles.map((each) => each[of])].map((value) => valueText(unit, value));
    const distanceText = formatShare(distance);
    return [
      [unitName(name, quantity), 'data', ...cellsOf('data'), ''],
      ['', 'fit', ...cellsOf('fit'), poor.length > 0 ? style.colors.yellow(distanceText) : distanceText],
    ];
  });
  return fittingTable(columns, rows, style).text.trimStart();
}

const unitName = (name: string, { unit }: QuantityFit): string =>
  unit === 'tokens' || unit === 'characters' ? `${name} (${unit})` : name;

/** Lists unreadable lines, then poor fits and notes that make the scenario less faithful than the input. */
function warningTexts(fit: Fit): string[] {
  const unread = fit.inputs.filter(({ malformedLines }) => malformedLines > 0).map(unreadText);
  const doubts = fit.inputs.flatMap((input) => input.doubts ?? []);
  const zeros = fit.zeros.filter(({ use }) => use === 'missing').map(zerosText);
  return [...unread, ...doubts, ...zeros, ...poorLines(fit, false), ...noteLines(fit, true)];
}

const shortLines = ({ zeros }: Fit): string[] => zeros.filter(({ use }) => use === 'short').map(zerosText);

function unreadText({ file, malformedLines, firstMalformed }: Fit['inputs'][number]): string {
  const more = malformedLines > firstMalformed.length ? '; ...' : '.';
  return `${file}: skipped ${countOf(malformedLines, 'malformed line')}: ${firstMalformed.join('; ')}${more}`;
}

/** Describes the poor fits that the scenario replaces, or the others. */
const poorLines = (fit: Fit, isReplaced: boolean): string[] =>
  poorFits(fit)
    .filter(({ instead }) => (instead !== undefined) === isReplaced)
    .map(({ name, quantity, instead }) => `${name}: a poor fit, ${poorText(quantity)}. ${instead ?? insteadText(fit)}`);

const noteLines = (fit: Fit, areWarnings: boolean): string[] =>
  fit.notes.filter((note) => warnings.has(note) === areWarnings).map((note) => noteText(note, fit));
