import type { Distribution, Fit, FitNote, FitUnit, FitZeros, QuantityFit } from '../../fit/document/fit.ts';
import { countOf, formatCount, formatMs, formatNumber, formatShare } from '../../base/format.ts';
import { literal } from './source-text.ts';

export const quantityNames = {
  turns: 'turns per session',
  thinkTime: 'think time',
  messageLength: 'message length',
  replyLength: 'reply length',
} as const;
export type QuantityName = keyof typeof quantityNames;

/** Formats a value of a quantity; times have a unit. */
export function valueText(unit: FitUnit, value: number): string {
  return unit === 'ms' ? formatMs(value) : formatNumber(value);
}

/** Describes a distribution: `lognormal, median 3.4 s, sigma 0.61`. */
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

/** Lists a few ranges with their shares, or the number of many ranges. */
function weightsText(ranges: readonly { min: number; max: number; weight: number }[]): string {
  if (ranges.length > 4) return `weights of ${countOf(ranges.length, 'range')}`;
  const total = ranges.reduce((sum, { weight }) => sum + weight, 0);
  const each = ranges.map(({ min, max, weight }) => {
    const name = min === max ? formatCount(min) : `${formatCount(min)} to ${formatCount(max)}`;
    return `${formatShare(weight / total)} ${name}`;
  });
  return each.join(', ');
}

/** Describes the problems of a poor fit, as the end of a sentence; '' for a good fit. */
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

export interface PoorFit {
  name: string;
  quantity: QuantityFit;
  /** Sentence about the scenario's substitute for the fit; `undefined` if it draws from the fit. */
  instead: string | undefined;
}

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
  if (key === 'replyLength') return 'The scenario does not use it.';
  const conversations = fileOf(fit, 'conversations');
  return conversations === undefined || key === 'thinkTime'
    ? undefined
    : `The scenario takes it unchanged from ${conversations}.`;
}

/** Recommends a replay instead of a poor fit, which only traces can have. */
export function insteadText(fit: Fit): string {
  const trace = fileOf(fit, 'trace') ?? '';
  return `load: { trace: ${literal(trace)}${columnsSource(fit)}${fit.sort === true ? ', sort: true' : ''} } replays the trace unchanged.`;
}

/** Returns the column mapping of the trace, which a replay needs, too. */
function columnsSource({ columns }: Fit): string {
  if (columns === undefined) return '';
  const fields = Object.entries(columns).map(([name, column]) => `${name}: ${literal(column)}`);
  return `, columns: { ${fields.join(', ')} }`;
}

export function fileOf({ inputs }: Fit, holds: Fit['inputs'][number]['holds']): string | undefined {
  return inputs.find((each) => each.holds === holds)?.file;
}

/** Describes a note on a fit. Those in `warnings` make the scenario less faithful than the input. */
export function noteText(note: FitNote, fit: Fit): string {
  if (note === 'few_sessions' && fileOf(fit, 'conversations') !== undefined)
    return 'Fewer than 30 conversations: turns per session are not fitted; each conversation keeps its own.';
  return notes[note].replace('{replyTime}', formatMs(fit.replyTimeMs));
}

const zeroNames: Readonly<Record<FitZeros['of'], string>> = {
  inputTokens: 'input lengths',
  outputTokens: 'reply lengths',
  growth: 'increases of the input',
  replies: 'replies',
  replyTimes: 'reply times',
  gaps: 'gaps between turns',
  starts: 'gaps between sessions',
};

/** Reports the number of zeros, and their use: `40 of 500 reply lengths are 0: ...`. */
export function zerosText({ of, zeros, values, use }: FitZeros): string {
  const counted = `${formatCount(zeros)} of ${formatCount(values)} ${zeroNames[of]} ${zeros === 1 ? 'is' : 'are'} 0`;
  if (use === 'short') return `${counted} (or less): treated as shorter than the resolution of the clock.`;
  const instead =
    of === 'growth' ? ' (or less): treated as repeated requests' : ': treated as failed requests or missing values';
  return `${counted}${instead}, and omitted.`;
}

/** Notes about quantities that could not be fitted, or only poorly. */
export const warnings: ReadonlySet<FitNote> = new Set([
  'few_sessions',
  'few_arrivals',
  'one_instant',
  'clusters',
  'coarse_clock',
  'few_gaps',
  'few_lengths',
  'many_turns',
  'few_later_turns',
]);

const notes: Readonly<Record<FitNote, string>> = {
  few_sessions: 'Fewer than 30 sessions: turns per session are not fitted; the scenario uses three.',
  few_arrivals:
    'Too few gaps between sessions to fit burstiness (100, more if the clock of the trace is coarse): Poisson arrivals are assumed.',
  one_instant: 'All sessions start at the same time, so arrivals are unknown: the scenario uses closed load.',
  no_arrivals: 'Conversations have no start times: the scenario uses closed load.',
  clusters:
    'Sessions arrive in clusters that independent gaps cannot reproduce: a fitted scenario is smoother than the trace; a replay is not.',
  coarse_clock:
    'The clock of the trace is too coarse for gaps between sessions: burstiness is estimated from counts, without a distribution to compare.',
  one_turn_each: 'Every session has one turn: without session ids, each request of a trace counts as a session.',
  few_gaps: 'Fewer than 30 gaps between turns: think time is not fitted; the scenario uses the preset `chat`.',
  no_gaps: 'Turns have no times: think time is not fitted; the scenario uses the preset `chat`.',
  reply_time_included:
    'Gaps between turns include the previous reply, because the trace has no reply times: think times are too long. --reply-time subtracts a typical one.',
  reply_time_subtracted: '{replyTime} was subtracted from each gap between turns for the reply (--reply-time).',
  reply_time_known: 'The trace has reply times: think times are from the end of a reply to the next turn.',
  no_lengths: 'Messages have no lengths: the scenario uses three built-in messages.',
  few_lengths: 'Fewer than 30 messages have a length: it is not fitted.',
  input_is_message:
    'Input tokens of later turns do not always rise: they count as the message alone. --columns input=whole states that they are the whole conversation.',
  few_later_turns:
    'Fewer than 30 later turns have input tokens, too few to show whether these are the whole conversation: they count as the message alone. --columns input=whole or input=fresh states their content.',
  input_is_context:
    'Input tokens rise from turn to turn: they count as the whole conversation, and the increase per turn as its message. --columns input=fresh states that they are the message alone.',
  reply_lengths_unused:
    'The agent determines the length of replies: it is shown for comparison and not used in the scenario.',
  many_turns: 'Sessions with more than 100,000 turns count as having 100,000.',
};
