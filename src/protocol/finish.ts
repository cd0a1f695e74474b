/** Normal ends of replies, in the order of reports. `none`: the reply states no reason. */
export const finishes = ['complete', 'length', 'filtered', 'tool', 'other', 'none'] as const;
export type Finish = (typeof finishes)[number];

/** Reasons as services state them, in lower case and with `_` between words. */
const reasons: Readonly<Record<Finish | 'failed', readonly string[]>> = {
  complete: [
    ...['stop', 'end_turn', 'stop_sequence', 'completed', 'complete', 'eos', 'eos_token', 'end', 'done', 'finished'],
    ...['normal', 'success'],
  ],
  length: [
    ...['length', 'max_tokens', 'max_output_tokens', 'max_token', 'token_limit', 'max_length', 'model_length'],
    ...['model_context_window_exceeded', 'context_length', 'max_completion_tokens'],
  ],
  filtered: [
    ...['content_filter', 'content_filtered', 'refusal', 'safety', 'recitation', 'blocklist', 'prohibited_content'],
    ...['spii', 'image_safety', 'guardrail_intervened', 'blocked', 'sensitive', 'moderation'],
  ],
  tool: ['tool_calls', 'tool_call', 'tool_use', 'function_call'],
  other: [],
  none: ['', 'null', 'none', 'finish_reason_unspecified'],
  failed: [
    ...['error', 'failed', 'failure', 'network_error', 'server_error', 'internal_error', 'provider_error', 'exception'],
    ...['malformed_function_call', 'malformed_response', 'malformed_model_output', 'malformed_tool_use', 'timeout'],
    ...[
      'unexpected_tool_call',
      'cancelled',
      'canceled',
      'abort',
      'aborted',
      'user_cancel',
      'insufficient_system_resource',
    ],
  ],
};

const finishByReason = new Map(
  (Object.keys(reasons) as (Finish | 'failed')[]).flatMap((finish) =>
    reasons[finish].map((reason) => [reason, finish] as const),
  ),
);

/**
 * Returns the end that a reason of a service stands for: `failed` if it is a failure of the attempt. Unknown reasons are `other`, but
 * those that name an error.
 */
export function finishOf(reason: unknown): Finish | 'failed' {
  if (reason === undefined || reason === null) return 'none';
  if (typeof reason !== 'string') return 'other';
  const known = finishByReason.get(reason);
  if (known !== undefined) return known;
  const word = reason
    .slice(0, maxReasonLength)
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return finishByReason.get(word) ?? (failedWord.test(word) ? 'failed' : 'other');
}

/** Words of reasons that name an error. */
const failedWord =
  /(?:^|_)(?:error|fail(?:ed|ure)?|exception|overload(?:ed)?|unavailable|rate_limit(?:ed)?|timed?_?out|crash(?:ed)?|disconnect(?:ed)?|out_of_memory)(?:_|$)/;

/** Longer reasons are texts. */
const maxReasonLength = 64;
