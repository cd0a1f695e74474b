import type { FitZeros } from './document/fit.ts';
import type { ObservedConversations, ObservedTrace } from './observe/observe-trace.ts';

interface Observed {
  traced: ObservedTrace | undefined;
  spoken: ObservedConversations | undefined;
  /** True if message lengths are the growth of the input. */
  isContext: boolean;
}

/** Returns the durations and lengths of 0, with their use; none for quantities without them. */
export function zerosOf({ traced, spoken, isContext }: Observed): FitZeros[] {
  const found = [
    ...(traced === undefined ? [] : zerosInTrace(traced, { isContext, hasLengths: spoken === undefined })),
    ...(spoken === undefined ? [] : [missing('replies', spoken.emptyReplies, spoken.replies.count)]),
  ];
  return found.filter(({ zeros }) => zeros > 0);
}

function zerosInTrace(
  { zeros, inputTokens, outputTokens, growth, replyTimes, gaps, arrivals }: ObservedTrace,
  { isContext, hasLengths }: { isContext: boolean; hasLengths: boolean },
): FitZeros[] {
  const lengths = [
    missing('inputTokens', zeros.inputTokens, inputTokens.count),
    ...(isContext ? [missing('growth', zeros.growth, growth.count)] : []),
    missing('outputTokens', zeros.outputTokens, outputTokens.count),
  ];
  return [
    ...(hasLengths ? lengths : []),
    missing('replyTimes', zeros.replyTimes, replyTimes - zeros.replyTimes),
    { of: 'gaps', zeros: gaps.zeros, values: gaps.count, use: 'short' },
    ...(arrivals === undefined
      ? []
      : [{ of: 'starts', zeros: arrivals.zeros, values: arrivals.sessions - 1, use: 'short' } as const]),
  ];
}

const missing = (of: FitZeros['of'], zeros: number, others: number): FitZeros => ({
  of,
  zeros,
  values: zeros + others,
  use: 'missing',
});
