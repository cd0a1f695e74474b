import type { Plan } from '../../../src/plan/plan.ts';
import type { AttemptClass } from '../../../src/protocol/outcome.ts';
import type { Fact } from './facts.ts';

/** A creation or turn that finished. */
interface Finished {
  isTurn: boolean;
  outcome: AttemptClass;
  /** Whether its policy retries the class. */
  isRetried: boolean;
}

/** An attempt that finished. */
interface Ended {
  isTurn: boolean;
  outcome: AttemptClass;
  sentAt: number;
  endedAt: number;
}

/** The rules that stop a run without progress (docs/guides/soak.md). */
export class Watch {
  readonly #plan: Plan;
  readonly #finished: Finished[] = [];
  readonly #ended: Ended[] = [];

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  attemptEnded(ended: Ended): void {
    if (ended.outcome !== 'aborted') this.#ended.push(ended);
  }

  /** Returns the stop of a target that cannot be used: the first ten of one kind all failed for good; `null`: none. */
  finished(finished: Finished): string | null {
    if (finished.outcome === 'aborted') return null;
    this.#finished.push(finished);
    return this.#unusable(finished.isTurn, this.#plan.stopWhen.unusable ?? Infinity);
  }

  /** Returns the stop for an unusable target at the end of a run, which may have had fewer operations. */
  runEnded(): string | null {
    if (this.#plan.stopWhen.unusable === null) return null;
    return this.#unusable(false, 1) ?? this.#unusable(true, 1);
  }

  #unusable(isTurn: boolean, min: number): string | null {
    const same = this.#finished.filter((each) => each.isTurn === isTurn);
    if (same.length < min || !same.every(({ outcome, isRetried }) => !isRetried && isHopeless(outcome))) return null;
    return same.every(({ outcome }) => outcome === 'check_failed') ? 'checks_failed' : 'target_unfit';
  }

  /** Returns why the run must stop, evaluated at the end of each second; `null` if it continues. */
  judge(now: number, facts: readonly Fact[]): string | null {
    const { noSuccessMs, targetGoneMs } = this.#plan.stopWhen;
    if (hasLasted(this.#notReached(), targetGoneMs)) return 'target_gone';
    if (hasLasted(this.#withoutSuccess(), noSuccessMs)) return 'no_success';
    return now % 5000 === 0 && this.#gateFails(now, facts) ? 'gate' : null;
  }

  /** Failures since the last outcome other than a failed connection. */
  #notReached(): Drought {
    const last = this.#ended.findLastIndex(({ outcome }) => outcome !== 'connect_failed');
    return { failed: this.#ended.slice(last + 1), since: this.#ended[last]?.endedAt ?? 0 };
  }

  /** Failures since the last ok turn. A created session ends only a series of failed creations. */
  #withoutSuccess(): Drought {
    let drought: Drought = { failed: [], since: 0 };
    for (const ended of this.#ended)
      if (ended.outcome !== 'ok') drought.failed.push(ended);
      else if (ended.isTurn) drought = { failed: [], since: ended.endedAt };
      else if (!drought.failed.some(({ isTurn }) => isTurn)) drought.failed = [];
    return drought;
  }

  /** The one gate of these runs that can stop them, on what had ended two seconds ago. */
  #gateFails(now: number, facts: readonly Fact[]): boolean {
    const gate = this.#plan.abortGates['turns.failedShare'];
    const { warmUpMs } = this.#plan;
    const until = now - 2000;
    if (gate === undefined || until <= warmUpMs || until - warmUpMs < gate.afterMs) return false;
    const soFar = facts.filter(({ at, from }) => at < until && from >= warmUpMs);
    const count = (what: string): number => soFar.filter((fact) => fact.what === what).length;
    const failed = count('turn.failed');
    return failed > 0 && failed >= 0.05 * (failed + count('turn.ok'));
  }
}

/** Attempts that failed, and the last good end before them. */
interface Drought {
  failed: Ended[];
  since: number;
}

/**
 * Time from the send of the first failed attempt, or the last success after it, to the end of the last one; a single
 * failure does not count.
 */
function hasLasted({ failed, since }: Drought, limitMs: number | null): boolean {
  const [first, last] = [failed.at(0), failed.at(-1)];
  if (limitMs === null || first === undefined || last === undefined || failed.length < 2) return false;
  return last.endedAt - Math.max(first.sentAt, since) >= limitMs;
}

/** Outcomes that neither a retry nor waiting cures. */
const isHopeless = (outcome: AttemptClass): boolean =>
  ['bad_request', 'not_found', 'http_other', 'malformed', 'contract_broken', 'check_failed'].includes(outcome);
