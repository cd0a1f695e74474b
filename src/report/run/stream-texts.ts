import { countOf, formatCount, formatNumber, formatShare } from '../../base/format.ts';
import type { Result } from '../../result/result.ts';
import { maxShared, oneReadText } from '../../result/sections/stream.ts';
import type { Fact } from '../page/page.ts';
import { intervalTexts, latencyText, percentileText } from '../words/measured-text.ts';
import { firstMissing, needText, percentilesLine, shownPercentiles } from '../outline/too-few.ts';
import { limitText } from './gate-section.ts';

type Summary = Result['latency']['tokenTime'];

/** Percentiles that a reader looks for first. */
const key = ['p50', 'p95', 'p99'] as const;

/**
 * Formats the known percentiles of a series, one fact each, with their 95 % intervals and the limits of their gates. If one
 * has too few values, the maximum follows, with the number of values needed.
 */
export function percentileFacts(
  label: string,
  { summary, metric, gates }: { summary: Summary; metric: string; gates: Result['gates'] },
): Fact[] {
  let isExplained = false;
  const known = shownPercentiles(summary, key).map(({ name, key: field }) => {
    const interval = intervalTexts(summary, field);
    const range = interval === undefined ? '' : `, ${interval.low} to ${interval.high}`;
    const meaning = range === '' || isExplained ? '' : ' (95 % interval)';
    isExplained ||= range !== '';
    const max =
      interval === undefined && name === 'p99' && summary.p99AtMaxMs !== null
        ? `, at most ${latencyText(summary, summary.p99AtMaxMs)} with 99 % confidence`
        : '';
    const limit = limitText(gates, `${metric}.${name}`);
    return { name: `${label} ${name}`, text: `${percentileText(summary, field)}${range}${meaning}${max}${limit}` };
  });
  const missing = summary.count === 0 ? undefined : firstMissing(summary, key);
  if (missing === undefined) return known;
  const text = `${latencyText(summary, summary.maxMs)}; ${needText(missing, summary.count)}`;
  return [...known, { name: `${label} max`, text }];
}

/** Returns the figures that users of streamed replies feel; none for a run without streamed replies. */
export function streamFacts({ latency, stream, gates }: Result): Fact[] {
  if (stream.replies === 0) return [];
  const { firstToken, gap, tokenTime } = latency;
  const first = percentileFacts('TTFT', { summary: firstToken, metric: 'firstToken', gates });
  const others = [
    { name: 'buffered', text: bufferedText(stream) },
    { name: 'gap', text: percentilesText(gap, 'gap', gates) },
    { name: 'per token', text: percentilesText(tokenTime, 'tokenTime', gates) },
  ];
  return [...first, ...others.filter(({ text }) => text !== '')];
}

/** States that the stream was buffered: most content events, or most replies, arrived together; '' otherwise. */
function bufferedText(stream: Result['stream']): string {
  const { sharedReads, oneRead, severalEvents } = stream;
  if (oneRead > maxShared * severalEvents)
    return `${oneReadText(stream)}: they have no gaps and no time per token, and their first token is the whole reply`;
  if (sharedReads === null || sharedReads < maxShared) return '';
  return `${formatShare(sharedReads)} of the content events arrived together with the previous one: a proxy or the service buffers the stream, and the gaps do not show the pace of the model`;
}

/** Formats percentiles in a line: `p50 15.1 ms, p95 31.0 ms; gate < 50ms`; '' without values. */
function percentilesText(summary: Summary, metric: string, gates: Result['gates']): string {
  return summary.count === 0 ? '' : percentilesLine(summary, key, (name) => limitText(gates, `${metric}.${name}`));
}

/** Formats the output rate as the service reports it: `512 tokens/s, as reported by the service`; '' without reports. */
export function outputText({ stream, books, gates }: Pick<Result, 'stream' | 'books' | 'gates'>): string {
  if (stream.outputTokensPerSecond === null) return '';
  const limit = limitText(gates, 'stream.outputTokensPerSecond');
  return `${formatNumber(stream.outputTokensPerSecond)} tokens/s, ${outputDetail({ stream, books })}${limit}`;
}

/** Names the source of token counts: `reported by the service for 90 of 96 ok turns`; '' without reports. */
export function outputDetail({ stream, books }: Pick<Result, 'stream' | 'books'>): string {
  const { outputTokensPerSecond, reportedUsage } = stream;
  if (outputTokensPerSecond === null) return '';
  const ok = books.turns.ok - books.warmUp.turns.ok;
  return `reported by the service${reportedUsage < ok ? ` for ${formatCount(reportedUsage)} of ${countOf(ok, 'ok turn')}` : ''}`;
}

/** Counts content events: `3,744 content events in 96 replies; 21.2 % arrived in the same read as another`. */
export function eventsText(stream: Result['stream']): string {
  const { contentEvents, replies, sharedReads, oneRead, missingDone, retriesAfterContent } = stream;
  return [
    `${countOf(contentEvents, 'content event')} in ${countOf(replies, 'reply', 'replies')}`,
    ...(sharedReads === null ? [] : [`${formatShare(sharedReads)} arrived in the same read as the previous one`]),
    ...(oneRead === 0 ? [] : [`${oneReadText(stream)}, and have no gaps`]),
    ...(missingDone === 0 ? [] : [`${countOf(missingDone, 'reply', 'replies')} without the end-of-stream marker`]),
    ...(retriesAfterContent === 0 ? [] : [`${countOf(retriesAfterContent, 'retry', 'retries')} after content`]),
  ].join('; ');
}
