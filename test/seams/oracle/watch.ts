import type { Plan } from '../../../src/plan/plan.ts';
import type { AttemptClass } from '../../../src/wire/outcome.ts';
import type { Fact } from './facts.ts';

interface Ended {
  isTurn: boolean;
  outcome: AttemptClass;
  sentAt: number;
  endedAt: number;
}

/** The rules that stop a run which gets nowhere (docs/soak.md), looked at whenever a second is full. */
export class Watch {
  readonly #plan: Plan;
  readonly #ended: Ended[] = [];

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  attemptEnded(ended: Ended): void {
    if (ended.outcome !== 'aborted') this.#ended.push(ended);
  }

  /** Why the run is to stop; `null`: it is not. */
  judge(now: number, facts: readonly Fact[]): string | null {
    const { noSuccessMs, targetGoneMs } = this.#plan.stopWhen;
    const isGone = this.#hasLasted(targetGoneMs, {
      goesOn: ({ outcome }) => outcome === 'connect_failed',
      ends: ({ outcome }) => outcome !== 'connect_failed',
    });
    if (isGone) return 'target_gone';
    // A creation is no success of turns.
    const noneIsOk = this.#hasLasted(noSuccessMs, {
      goesOn: ({ outcome }) => outcome !== 'ok',
      ends: ({ outcome, isTurn }) => outcome === 'ok' && isTurn,
    });
    if (noneIsOk) return 'no_success';
    return now % 5000 === 0 && this.#gateFails(now, facts) ? 'gate' : null;
  }

  /** From the send of the first that failed, or the last good end after it, to the end of the last; one alone is none. */
  #hasLasted(
    limitMs: number | null,
    { goesOn, ends }: { goesOn: (ended: Ended) => boolean; ends: (ended: Ended) => boolean },
  ): boolean {
    if (limitMs === null) return false;
    const lastEnd = this.#ended.findLastIndex(ends);
    const since = this.#ended.slice(lastEnd + 1).filter(goesOn);
    const [first, last] = [since.at(0), since.at(-1)];
    if (first === undefined || last === undefined || since.length < 2) return false;
    return last.endedAt - Math.max(first.sentAt, this.#ended[lastEnd]?.endedAt ?? 0) >= limitMs;
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
