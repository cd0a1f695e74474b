import type { Result } from '../../result/result.ts';
import { countOf, formatNumber, formatShare } from '../words/format.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';

/** What came in pieces, and the tokens that replies told of; nothing where there is neither. */
export function streamLines(result: Pick<Result, 'stream' | 'books'>, { width }: Style): string[] {
  const text = streamText(result);
  return text === '' ? [] : [paragraph(text, { width, first: 'stream    ' })];
}

/** `12,345 content events in 1,000 replies, 3 % in shared reads; 512 output tokens/s`. */
export function streamText({ stream, books }: Pick<Result, 'stream' | 'books'>): string {
  const { outputTokensPerSecond, toldUsage } = stream;
  const ok = books.turns.ok - books.warmUp.turns.ok;
  const told = toldUsage < ok ? ` (told by ${formatNumber(toldUsage)} of ${countOf(ok, 'ok turn')})` : '';
  const parts = [
    ...(stream.replies === 0 ? [] : [eventsText(stream)]),
    ...(outputTokensPerSecond === null ? [] : [`${formatNumber(outputTokensPerSecond)} output tokens/s${told}`]),
  ];
  return parts.join('; ');
}

function eventsText({
  contentEvents,
  replies,
  sharedReads,
  missingDone,
  retriesAfterContent,
}: Result['stream']): string {
  return [
    `${countOf(contentEvents, 'content event')} in ${countOf(replies, 'reply', 'replies')}`,
    ...(sharedReads === null ? [] : [`${formatShare(sharedReads)} in shared reads`]),
    ...(missingDone === 0 ? [] : [`${countOf(missingDone, 'reply', 'replies')} without the final mark`]),
    ...(retriesAfterContent === 0 ? [] : [`${countOf(retriesAfterContent, 'retry', 'retries')} after content`]),
  ].join(', ');
}
