import { durationBucket } from '../record/model-counters.ts';
import type { LiveTally } from '../record/tally.ts';
import type { AttemptAccount, AttemptBegin, AttemptEnd, CallAccount } from './accounts.ts';
import { partsOf } from './attempt-parts.ts';
import { add, msOf } from './count-call.ts';

/** Classifies the calls of an attempt by arrival. Calls that arrive later are classified one by one. */
export function classifyCalls({ calls, equals }: AttemptAccount): void {
  for (const call of calls.sort((a, b) => a.arrivedUs - b.arrivedUs || a.id - b.id)) {
    call.relation = equals.classify(call);
    if (call.end !== undefined && call.end.outcome !== 'ok') equals.failed(call, call.end.endedUs);
  }
}

/** Counts the parts of an attempt of a turn that was not cut. */
export function countAttempt(tally: LiveTally, attempt: AttemptAccount, begin: AttemptBegin, end: AttemptEnd): void {
  const { counters, series } = tally;
  const { modelAttempts, modelParts, modelParallel } = counters;
  const parts = partsOf({ sentUs: begin.sentUs, endedUs: end.endedUs }, attempt.calls);
  if (parts === undefined) {
    modelAttempts.noCall++;
    return;
  }
  modelAttempts.withCalls++;
  series['model.time'].record(msOf(parts.modelUs));
  series['model.retryWait'].record(msOf(parts.retryWaitUs));
  series['model.agentTime'].record(msOf(parts.agentUs));
  series['model.beforeFirstCall'].record(msOf(parts.beforeFirstUs));
  if (parts.afterLastUs !== undefined) {
    modelAttempts.endedAfterCalls++;
    series['model.afterLastCall'].record(msOf(parts.afterLastUs));
  }
  add(modelParallel, parts.parallel);
  const bucket = String(durationBucket(end.endedUs - begin.sentUs));
  add(modelParts, `${bucket}.attempts`);
  const sums = { model: parts.modelUs, retryWait: parts.retryWaitUs, agent: parts.agentUs };
  for (const [name, us] of Object.entries(sums)) if (us > 0) add(modelParts, `${bucket}.${name}`, us);
  beginRelay(tally, attempt, end);
}

/** Counts the relay of the first token; with calls still open, once these have ended. */
function beginRelay(tally: LiveTally, attempt: AttemptAccount, { firstTokenUs }: AttemptEnd): void {
  if (firstTokenUs === undefined) return;
  const before = attempt.calls.filter(({ arrivedUs }) => arrivedUs <= firstTokenUs);
  attempt.relay = { open: new Set(before.filter(({ end }) => end === undefined)), latestUs: -Infinity };
  for (const call of before) considerRelay(attempt, call);
  countRelay(tally, attempt);
}

/** Takes the end of a call that may have produced the user's first token. */
export function endRelayed(tally: LiveTally, attempt: AttemptAccount, call: CallAccount): void {
  if (attempt.relay?.open.delete(call) !== true) return;
  considerRelay(attempt, call);
  countRelay(tally, attempt);
}

function considerRelay({ relay, end }: AttemptAccount, call: CallAccount): void {
  const contentUs = call.end?.firstContentUs;
  if (relay === undefined || contentUs === undefined || contentUs > (end?.firstTokenUs ?? 0)) return;
  relay.latestUs = Math.max(relay.latestUs, contentUs);
}

function countRelay({ counters, series }: LiveTally, attempt: AttemptAccount): void {
  const { relay, end } = attempt;
  if (relay === undefined || relay.open.size > 0) return;
  attempt.relay = undefined;
  if (relay.latestUs === -Infinity || end?.firstTokenUs === undefined) return;
  counters.modelAttempts.relayed++;
  series['model.relay'].record(msOf(end.firstTokenUs - relay.latestUs));
}
