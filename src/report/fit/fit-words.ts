import type { Distribution, Fit, FitNote, FitUnit, QuantityFit } from '../../fit/document/fit.ts';
import { countOf, formatCount, formatMs, formatNumber, formatShare } from '../../base/format.ts';
import { literal } from './source-text.ts';

/** The quantities of a fit that have a distribution, by their names in words. */
export const quantityNames = {
  turns: 'turns a session',
  thinkTime: 'think time',
  messageLength: 'message length',
  replyLength: 'reply length',
} as const;
export type QuantityName = keyof typeof quantityNames;

/** A value of a quantity, with its unit where it is a time. */
export function valueText(unit: FitUnit, value: number): string {
  return unit === 'ms' ? formatMs(value) : formatNumber(value);
}

/** `lognormal, median 3.4 s, sigma 0.61`. */
export function distributionText(distribution: Distribution, unit: FitUnit): string {
  const value = (each: number): string => valueText(unit, each);
  switch (distribution.kind) {
    case 'constant':
      return `always ${value(distribution.value)}`;
    case 'uniform':
      return `uniform, ${value(distribution.min)} to ${value(distribution.max)}`;
    case 'exponential':
      return `exponential, mean ${value(distribution.mean)}`;
    case 'lognormal':
      return `lognormal, median ${value(distribution.median)}, sigma ${formatNumber(distribution.sigma)}`;
    case 'normal':
      return `normal, mean ${value(distribution.mean)}, standard deviation ${value(distribution.sd)}`;
    case 'weights':
      return weightsText(distribution.ranges);
    case 'gamma':
      return `gamma, k ${formatNumber(distribution.burstiness)}`;
  }
}

/** Few ranges with their shares, many by their number. */
function weightsText(ranges: readonly { min: number; max: number; weight: number }[]): string {
  if (ranges.length > 4) return `weights of ${countOf(ranges.length, 'range')}`;
  const total = ranges.reduce((sum, { weight }) => sum + weight, 0);
  const each = ranges.map(({ min, max, weight }) => {
    const name = min === max ? formatCount(min) : `${formatCount(min)} to ${formatCount(max)}`;
    return `${formatShare(weight / total)} ${name}`;
  });
  return each.join(', ');
}

/** What is poor about a fit, as the end of a sentence; '' where it is good. */
export function poorText({ poor, distance, quantiles, unit }: QuantityFit): string {
  const p95 = quantiles.find(({ p }) => p === 0.95);
  return poor
    .map((what) =>
      what === 'distance' || p95 === undefined
        ? `shares differ by up to ${formatShare(distance)}`
        : `p95 is ${valueText(unit, p95.data)} in the data and ${valueText(unit, p95.fit)} in the fit`,
    )
    .join(', and ');
}

/** A fit that is poor. */
export interface PoorFit {
  name: string;
  quantity: QuantityFit;
  /** What the scenario has in place of the fit, as a sentence; `undefined`: it draws from the fit. */
  instead: string | undefined;
}

/** The fits of a document that are poor. */
export function poorFits(fit: Fit): PoorFit[] {
  const named = [
    ...(fit.arrivals?.gaps == null ? [] : [{ name: 'arrivals', quantity: fit.arrivals.gaps, instead: undefined }]),
    ...(Object.keys(quantityNames) as QuantityName[]).flatMap((key) => {
      const quantity = fit[key];
      return quantity === null ? [] : [{ name: quantityNames[key], quantity, instead: inPlaceOf(key, fit) }];
    }),
  ];
  return named.filter(({ quantity }) => quantity.poor.length > 0);
}

function inPlaceOf(key: QuantityName, fit: Fit): string | undefined {
  if (key === 'replyLength') return 'The scenario does not ask for it.';
  const conversations = fileOf(fit, 'conversations');
  return conversations === undefined || key === 'thinkTime'
    ? undefined
    : `The scenario takes it from ${conversations} as it is.`;
}

/** What to do about a poor fit that the scenario draws from: only a trace has such. */
export function insteadText(fit: Fit): string {
  const trace = fileOf(fit, 'trace') ?? '';
  return `load: { trace: ${literal(trace)}${columnsSource(fit)}${fit.sort === true ? ', sort: true' : ''} } replays the trace as it was.`;
}

/** Without them, a trace that was fitted by its columns could not be read. */
function columnsSource({ columns }: Fit): string {
  if (columns === undefined) return '';
  const fields = Object.entries(columns).map(([name, column]) => `${name}: ${literal(column)}`);
  return `, columns: { ${fields.join(', ')} }`;
}

/** The file that holds what is asked for. */
export function fileOf({ inputs }: Fit, holds: Fit['inputs'][number]['holds']): string | undefined {
  return inputs.find((each) => each.holds === holds)?.file;
}

/** What else the reader of a fit has to know, as sentences. Those of `warnings` make its scenario less than the input. */
export function noteText(note: FitNote, fit: Fit): string {
  if (note === 'few_sessions' && fileOf(fit, 'conversations') !== undefined)
    return 'Fewer than 30 conversations: turns a session are not fitted, they are those of each conversation.';
  return notes[note].replace('{replyTime}', formatMs(fit.replyTimeMs));
}

/** Notes about what could not be fitted, or only badly. */
export const warnings: ReadonlySet<FitNote> = new Set([
  'few_sessions',
  'few_arrivals',
  'one_instant',
  'clusters',
  'coarse_clock',
  'few_gaps',
  'few_lengths',
  'many_turns',
]);

const notes: Readonly<Record<FitNote, string>> = {
  few_sessions: 'Fewer than 30 sessions: turns a session are not fitted, and the scenario has three.',
  few_arrivals:
    'Too few gaps between sessions for their burstiness (100, and more where the clock of the trace is coarse): Poisson arrivals are assumed.',
  one_instant: 'All sessions start at one instant: nothing says how they arrive, and the scenario has closed load.',
  no_arrivals: 'Conversations do not say when they began: the scenario has closed load.',
  clusters:
    'Sessions come in clusters that independent gaps do not make: a fitted scenario is smoother than the trace, and a replay is not.',
  coarse_clock:
    'The clock of the trace is too coarse for gaps between sessions: burstiness is read from counts, and no distribution can be shown beside it.',
  one_turn_each:
    'Every session has one turn: where the trace has no ids of sessions, each request is taken as a session.',
  few_gaps: 'Fewer than 30 gaps between turns: think time is not fitted, and the scenario has the preset chat.',
  no_gaps:
    'Nothing says when turns within a session came: think time is not fitted, and the scenario has the preset chat.',
  reply_time_included:
    'Gaps between turns hold the reply before, whose length the trace does not say: think times are too long by it. --reply-time takes a typical one off.',
  reply_time_subtracted: 'Of each gap between turns {replyTime} were taken off for the reply, as --reply-time says.',
  reply_time_known: 'The trace says how long replies took: think times are from the end of a reply to the next turn.',
  no_lengths: 'Nothing says how long messages were: the scenario has three of its own.',
  few_lengths: 'Fewer than 30 messages have a length: it is not fitted.',
  input_is_context:
    'Input tokens rise from turn to turn: they are taken as those of the whole conversation, and a message as what its turn added.',
  reply_lengths_unused:
    'How long replies are is up to the agent: their length is shown for comparison, and is not in the scenario.',
  many_turns: 'Sessions of more than 100,000 turns are counted as having so many.',
};
