import { ms, type Ms } from '../base/time.ts';
import type { Price, Pricing } from '../plan/prices.ts';
import type { LiveTally } from '../record/tally.ts';
import { positions, positionIndex } from '../record/positions.ts';
import type { AttemptEnd, CallAccount, CallResult, TurnAccount } from './accounts.ts';

export function msOf(us: number): Ms {
  return ms(us / 1000);
}

/** Returns the cost of a call by its model as the reply names it, then as requested. A call that was refused costs nothing. */
export function costOfCall(pricing: Pricing, { api, model: requested }: CallAccount, end: CallResult): Price {
  const { usage } = end;
  if (usage === undefined) return { nanos: 0, isWhole: isRefused(end) };
  // Embeddings have no output.
  const counted = api === 'embeddings' ? { ...usage, outputTokens: usage.outputTokens ?? 0 } : usage;
  return pricing.price(counted, end.model === '' ? undefined : end.model, requested);
}

/** Removes secrets from the names in a price: a service could send the key as the name of its model. */
export function redactNames(price: Price, redact: (text: string) => string): Price {
  const { unpriced, substituted } = price;
  if (unpriced !== undefined) return { ...price, unpriced: redact(unpriced) };
  return substituted === undefined ? price : { ...price, substituted: redact(substituted) };
}

const isRefused = ({ outcome, status }: CallResult): boolean =>
  status >= 400 || outcome === 'rate_limited' || outcome === 'rejected' || (outcome === 'injected' && status === 0);

/** Counts a call once, when it has ended and its attribution is known. `price` is `undefined` without prices. */
export function countCall(
  { counters, series }: LiveTally,
  call: CallAccount,
  end: CallResult,
  price: Price | undefined,
): void {
  const { modelCalls, modelOutcomes, modelApis, modelTokens, modelSpending, modelUnpriced, modelSubstituted } =
    counters;
  modelCalls.calls++;
  modelCalls[attributionOf(call)]++;
  modelOutcomes[end.outcome]++;
  modelApis[call.api]++;
  if (end.outcome !== 'open_at_end') series['model.call'].record(msOf(end.endedUs - call.arrivedUs));
  if (end.firstContentUs !== undefined) {
    modelCalls.streamed++;
    series['model.firstToken'].record(msOf(end.firstContentUs - call.arrivedUs));
  }
  if (end.latenessMs !== undefined) {
    modelCalls.timed++;
    series['model.lateness'].record(ms(end.latenessMs));
  }
  modelTokens.inputBytes += call.inputBytes;
  if (call.shared !== undefined) modelTokens[`shared.${call.shared.source}`] += call.shared.bytes;
  countTokens(modelTokens, end);
  if (price === undefined) return;
  modelSpending.costNanos += price.nanos;
  if (!price.isWhole) modelSpending.unknownCalls++;
  if (price.unpriced !== undefined) add(modelUnpriced, price.unpriced);
  if (price.substituted !== undefined) add(modelSubstituted, price.substituted);
}

function attributionOf({ attempt, attribution }: CallAccount): 'traced' | 'matched' | 'created' | 'unattributed' {
  if (attempt === undefined) return 'unattributed';
  return attempt.turn.turn === 0 ? 'created' : (attribution ?? 'unattributed');
}

function countTokens(tokens: LiveTally['counters']['modelTokens'], { usage }: CallResult): void {
  if (usage === undefined) return;
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens, cacheWriteTokens = 0, reasoningTokens = 0 } = usage;
  tokens.reported++;
  tokens.input += inputTokens;
  tokens.output += outputTokens;
  tokens.cacheWrite += cacheWriteTokens;
  tokens.reasoning += reasoningTokens;
  if (cachedInputTokens === undefined) return;
  tokens.cachedInput += cachedInputTokens;
  tokens.cacheable += inputTokens;
}

/** Counts the relation of a call to earlier calls, once its attempt is counted and it has ended. */
export function countRelation({ counters }: LiveTally, { relation, nanos }: CallAccount): void {
  const { modelCalls, modelSpending } = counters;
  if (relation === 'duplicate') modelCalls.duplicates++;
  if (relation !== 'repeat') return;
  modelCalls.repeats++;
  modelSpending.repeatedNanos += nanos;
}

/** Classes of attempts after which an agent need not go on. */
const broken: ReadonlySet<string> = new Set(['timed_out', 'abandoned', 'connection_lost']);

/** Returns the output tokens of a call after the end of its attempt. A stream writes them evenly, and another reply at its end. */
function lateTokensOf(
  { arrivedUs }: CallAccount,
  { endedUs, firstContentUs, usage }: CallResult,
  sinceUs: number,
): number {
  const tokens = usage?.outputTokens ?? 0;
  if (arrivedUs > sinceUs || firstContentUs === undefined || firstContentUs >= sinceUs) return tokens;
  return Math.round((tokens * (endedUs - sinceUs)) / (endedUs - firstContentUs));
}

/** Returns the known cost of a call after the end of its attempt: that of its late output, and its input if all of its output is late. */
function lateNanosOf(call: CallAccount, end: CallResult, late: { tokens: number; costOf: CostOf }): number {
  const { tokens, costOf } = late;
  if (end.usage?.outputTokens === undefined || tokens === end.usage.outputTokens) return call.nanos;
  const outputTokens = end.usage.outputTokens - tokens;
  return call.nanos - costOf(call, { ...end, usage: { ...end.usage, outputTokens } });
}

/** Returns the known cost of a call in billionths. */
type CostOf = (call: CallAccount, end: CallResult) => number;

/** Counts the work of a call after the end of its attempt: orphaned after a broken attempt, else after the reply. */
export function countLateWork(
  tally: LiveTally,
  call: CallAccount,
  end: CallResult,
  { attempt, graceUs, costOf }: { attempt: AttemptEnd; graceUs: number; costOf: CostOf },
): void {
  const { modelCalls, modelSpending } = tally.counters;
  const isOrphan = broken.has(attempt.outcome);
  const lateUs = end.endedUs - attempt.endedUs;
  const arrivedLate = call.arrivedUs > attempt.endedUs;
  if (isOrphan && end.outcome === 'cancelled' && !arrivedLate && lateUs > 0) {
    modelCalls.closedLate++;
    tally.series['model.cancelDelay'].record(msOf(lateUs));
  }
  if (!arrivedLate && lateUs <= graceUs) return;
  const workUs = end.endedUs - Math.max(call.arrivedUs, attempt.endedUs);
  const tokens = lateTokensOf(call, end, attempt.endedUs);
  const nanos = lateNanosOf(call, end, { tokens, costOf });
  if (isOrphan) {
    modelCalls.orphaned++;
    modelCalls.orphanedUs += workUs;
    modelCalls.orphanedTokens += tokens;
    modelSpending.orphanedNanos += nanos;
  } else if (attempt.outcome === 'ok') {
    modelCalls.afterReply++;
    modelCalls.afterReplyUs += workUs;
    modelCalls.afterReplyTokens += tokens;
    modelSpending.afterReplyNanos += nanos;
  }
}

/** Counts the tokens of a call of an ok turn by the position of the turn. */
export function countPositionTokens({ counters }: LiveTally, turn: number, { usage }: CallResult): void {
  const at = positions[positionIndex(turn)] ?? '17+';
  const { modelPositions } = counters;
  modelPositions[`${at}.inputTokens`] += usage?.inputTokens ?? 0;
  modelPositions[`${at}.outputTokens`] += usage?.outputTokens ?? 0;
  modelPositions[`${at}.cachedTokens`] += usage?.cachedInputTokens ?? 0;
}

/** Counts injected calls in the row of its fault, or of calls that are not attributed. */
export function countFault({ counters }: LiveTally, row: string, calls = 1): void {
  add(counters.modelFaults, `${row}.calls`, calls);
}

export function faultOf(fault: string | undefined): string {
  return fault ?? 'other';
}

/** Counts a call that ended after its turn was counted, or that belongs to a creation. */
export function countAfterTurn(tally: LiveTally, call: CallAccount, end: CallResult, turn: TurnAccount): void {
  if (end.outcome === 'injected') countFault(tally, faultOf(end.fault));
  if (call.isOfTurn && turn.end?.outcome === 'ok') countPositionTokens(tally, turn.turn, end);
}

export function add<Name extends string | number>(counts: Record<Name, number>, name: Name, by = 1): void {
  counts[name] = ((counts[name] as number | undefined) ?? 0) + by;
}
