import type { CallAccount } from './accounts.ts';

/** A call within an attempt; `end` is missing while it is open. */
export type CallSpan = Pick<CallAccount, 'arrivedUs' | 'api' | 'digest' | 'retryCount' | 'relation'> & {
  readonly end: Readonly<{ endedUs: number; outcome: string }> | undefined;
};

/** Parts of an attempt in whole microseconds: model time, retry wait and agent time are its duration. */
export interface AttemptParts {
  modelUs: number;
  retryWaitUs: number;
  agentUs: number;
  beforeFirstUs: number;
  /** `undefined` if a call was still open at the end of the attempt. */
  afterLastUs: number | undefined;
  /** Maximum number of calls open at once. */
  parallel: number;
}

/**
 * Divides an attempt among its calls, which have been classified and are sorted by arrival. Only calls that arrived before
 * its end belong to it; `undefined` if there are none.
 */
export function partsOf(
  attempt: { sentUs: number; endedUs: number },
  calls: readonly CallSpan[],
): AttemptParts | undefined {
  const { sentUs, endedUs } = attempt;
  const within = calls.filter(({ arrivedUs }) => arrivedUs <= endedUs);
  const [first] = within;
  if (first === undefined) return undefined;
  const { modelUs, retryWaitUs, parallel } = sweep(attempt, within);
  const lastUs = Math.max(...within.map(({ end }) => end?.endedUs ?? Infinity));
  return {
    modelUs,
    retryWaitUs,
    agentUs: endedUs - sentUs - modelUs - retryWaitUs,
    beforeFirstUs: Math.max(0, first.arrivedUs - sentUs),
    afterLastUs: lastUs <= endedUs ? endedUs - Math.max(lastUs, sentUs) : undefined,
    parallel,
  };
}

/** A change of the number of open calls, or of unrepeated failures that will be repeated. */
interface Change {
  atUs: number;
  calls: number;
  waits: number;
}

/** Measures the time with an open call, and the time with a wait for a repeat and without an open call. */
function sweep({ sentUs, endedUs }: { sentUs: number; endedUs: number }, calls: readonly CallSpan[]) {
  const clip = (us: number): number => Math.min(Math.max(us, sentUs), endedUs);
  const span = (fromUs: number, toUs: number, change: Omit<Change, 'atUs'>): Change[] =>
    clip(fromUs) < clip(toUs)
      ? [
          { atUs: clip(fromUs), ...change },
          { atUs: clip(toUs), calls: -change.calls, waits: -change.waits },
        ]
      : [];
  const changes = [
    ...calls.flatMap(({ arrivedUs, end }) => span(arrivedUs, end?.endedUs ?? endedUs, { calls: 1, waits: 0 })),
    ...waitsOf(calls).flatMap(([fromUs, toUs]) => span(fromUs, toUs, { calls: 0, waits: 1 })),
  ].toSorted((a, b) => a.atUs - b.atUs || a.calls - b.calls);
  let [atUs, open, waits, modelUs, retryWaitUs, parallel] = [sentUs, 0, 0, 0, 0, 1];
  for (const change of changes) {
    if (open > 0) modelUs += change.atUs - atUs;
    else if (waits > 0) retryWaitUs += change.atUs - atUs;
    atUs = change.atUs;
    open += change.calls;
    waits += change.waits;
    parallel = Math.max(parallel, open);
  }
  return { modelUs, retryWaitUs, parallel };
}

/** Pairs every failed call with its first repeat; returns the times from the one's end to the other's arrival. */
function waitsOf(calls: readonly CallSpan[]): [fromUs: number, toUs: number][] {
  const waits: [number, number][] = [];
  /** Failed calls that have not been repeated yet. */
  const failed: { call: CallSpan; endedUs: number }[] = [];
  for (const call of calls) {
    if (call.relation === 'repeat') {
      const ended = failed.filter(({ endedUs }) => endedUs <= call.arrivedUs);
      const equal = ended.find((each) => each.call.digest === call.digest);
      const repeated = equal ?? (call.retryCount > 0 ? ended.find((each) => each.call.api === call.api) : undefined);
      if (repeated !== undefined) {
        failed.splice(failed.indexOf(repeated), 1);
        waits.push([repeated.endedUs, call.arrivedUs]);
      }
    }
    if (call.end !== undefined && call.end.outcome !== 'ok') failed.push({ call, endedUs: call.end.endedUs });
  }
  return waits;
}
