import type { Pricing, Price } from '../plan/prices.ts';
import type { CallAccount, CallResult } from './accounts.ts';

/** Returns the cost of a call by its model as the reply names it, then as requested. A call that was refused costs nothing. */
export function costOfCall(pricing: Pricing, { api, model: requested }: CallAccount, end: CallResult): Price {
  const { usage } = end;
  if (usage === undefined) return { nanos: 0, isWhole: isRefused(end) };
  // Embeddings have no output.
  const counted = api === 'embeddings' ? { ...usage, outputTokens: usage.outputTokens ?? 0 } : usage;
  return pricing.price(counted, end.model === '' ? undefined : end.model, requested);
}

const isRefused = ({ outcome, status }: CallResult): boolean =>
  status >= 400 || outcome === 'rate_limited' || outcome === 'rejected' || (outcome === 'injected' && status === 0);
