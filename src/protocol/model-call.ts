/** Kinds of model calls, by the route of their request. */
export const modelApis = ['chat', 'responses', 'messages', 'embeddings'] as const;
export type ModelApiName = (typeof modelApis)[number];

/**
 * Ends of a model call, of which each call has exactly one: with a conforming reply, an injected fault, a limit of the
 * service, a request that is invalid, a connection that the agent closed, a failure of the service that it was forwarded
 * to, or none before the end of the run.
 */
export const callOutcomes = [
  'ok',
  'injected',
  'rate_limited',
  'rejected',
  'cancelled',
  'upstream_failed',
  'open_at_end',
] as const;
export type CallOutcome = (typeof callOutcomes)[number];
