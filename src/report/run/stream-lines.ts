import type { Result } from '../../result/result.ts';
import { countOf, formatNumber, formatShare } from '../words/format.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';

/** What came in pieces, and the tokens that replies told of; nothing where there is neither. */
export function streamLines({ stream }: Pick<Result, 'stream'>, { width }: Style): string[] {
  const text = streamText(stream);
  return text === '' ? [] : [paragraph(text, { width, first: 'stream    ' })];
}

/** `12,345 content events in 1,000 replies, 3 % in shared reads; 512 output tokens/s`. */
export function streamText(stream: Result['stream']): string {
  const { outputTokensPerSecond } = stream;
  const parts = [
    ...(stream.replies === 0 ? [] : [eventsText(stream)]),
    ...(outputTokensPerSecond === null ? [] : [`${formatNumber(outputTokensPerSecond)} output tokens/s`]),
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
