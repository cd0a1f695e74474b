import { printableTexts } from '../../base/printable.ts';
import type { Fit, QuantityFit } from '../../fit/document/fit.ts';
import { headless, heads, made, painted, text, type Section } from '../outline/outline.ts';
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
  type PoorFit,
  type QuantityName,
} from './fit-words.ts';
import { processText } from './source-text.ts';

/** Report of a fit. */
export const fitReport: Report<Fit> = { outline: fitOutline };

function fitOutline(document: Fit): Section[] {
  const fit = printableTexts(document);
  const named = fit.inputs.map(
    ({ file, holds, count }) => `${file}, ${countOf(count, holds === 'trace' ? 'session' : 'conversation')}`,
  );
  return [
    { blocks: [text(`Fitted workload: ${named.join(', and ')}`, 'bold')] },
    { blocks: [headless((style) => partRows(fit, style))] },
    { blocks: [made((style) => quantileTable(fit, style))] },
    { blocks: [{ type: 'list', texts: warningTexts(fit), first: [painted('warning ', 'yellow')] }] },
    { blocks: [{ type: 'list', texts: noteTexts(fit), first: [painted('note    ', 'dim')] }] },
  ];
}

/** Fitted parts, one line each. */
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

/** Compares quantiles of data and fit. */
function quantileTable(fit: Fit, style: Style): string {
  const shown = [
    ...(fit.arrivals?.gaps == null ? [] : [{ name: 'gaps between sessions', quantity: fit.arrivals.gaps }]),
    ...quantitiesOf(fit),
  ];
  const [first] = shown;
  if (first === undefined) return '';
  const goes: Readonly<Record<number, string>> = { 0.9: '/1', 0.25: '/2', 0.75: '/3', 0.1: '/5' };
  const quantiles = first.quantity.quantiles.map(({ p }) => `>p${String(100 * p)}${goes[p] ?? ''}`);
  const columns = heads('DATA AND FIT', '', ...quantiles, '>mean/4', '>distance');
  const rows = shown.flatMap(({ name, quantity }) => {
    const { unit, quantiles, mean, distance, poor } = quantity;
    const value = (each: number): string => valueText(unit, each);
    const distanceText = formatShare(distance);
    return [
      [unitName(name, quantity), 'data', ...quantiles.map(({ data }) => value(data)), value(mean.data), ''],
      [
        '',
        'fit',
        ...quantiles.map((each) => value(each.fit)),
        value(mean.fit),
        poor.length > 0 ? style.colors.yellow(distanceText) : distanceText,
      ],
    ];
  });
  return fittingTable(columns, rows, style).text.trimStart();
}

const unitName = (name: string, { unit }: QuantityFit): string =>
  unit === 'tokens' || unit === 'characters' ? `${name} (${unit})` : name;

function warningTexts(fit: Fit): string[] {
  const poor = poorLines(fit, ({ instead }) => instead === undefined);
  const unread = fit.inputs.filter(({ malformedLines }) => malformedLines > 0).map(unreadText);
  const others = fit.notes.filter((note) => warnings.has(note)).map((note) => noteText(note, fit));
  return [...unread, ...poor, ...others];
}

function unreadText({ file, malformedLines, firstMalformed }: Fit['inputs'][number]): string {
  const left = `skipped ${countOf(malformedLines, 'malformed line')}`;
  const more = malformedLines > firstMalformed.length ? '; ...' : '.';
  return `${file}: ${left}: ${firstMalformed.join('; ')}${more}`;
}

const poorLines = (fit: Fit, isShown: (poor: PoorFit) => boolean): string[] =>
  poorFits(fit)
    .filter(isShown)
    .map(({ name, quantity, instead }) => `${name}: a poor fit, ${poorText(quantity)}. ${instead ?? insteadText(fit)}`);

function noteTexts(fit: Fit): string[] {
  const poor = poorLines(fit, ({ instead }) => instead !== undefined);
  const others = fit.notes.filter((note) => !warnings.has(note)).map((note) => noteText(note, fit));
  return [...poor, ...others];
}
