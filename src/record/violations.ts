import { z } from 'zod';
import { checkNames } from '../session/integrity/finding.ts';
import type { IntegrityRecord } from '../session/observer.ts';

/** Maximum number of violations. */
export const maxViolations = 10;

export const violationSchema = z.object({
  check: z.enum(checkNames),
  session: z.int().min(1),
  turn: z.int().min(1),
  /** Description; contains no reply text. */
  detail: z.string(),
  /** For a code that was not recalled: turns and retries since it was sent or last recalled; otherwise `null`. */
  turnsBetween: z.int().nullable(),
  retriesBetween: z.int().nullable(),
  /** Longest idle time of the session in between. */
  idleMs: z.number().nullable(),
  /** End of the reply, in milliseconds since the start of the run. */
  atMs: z.number(),
});

/** A reply that broke a check of the integrity guard. */
export type Violation = z.infer<typeof violationSchema>;

/** Collects the first violation of each check, then the earliest others. */
export class Violations {
  #kept: Violation[] = [];
  #fresh: Violation[] = [];

  offer(record: IntegrityRecord, atMs: number): void {
    if (record.failed === undefined) return;
    const violation: Violation = {
      check: record.failed,
      session: record.session.number,
      turn: record.turn,
      detail: record.detail,
      turnsBetween: record.turnsBetween ?? null,
      retriesBetween: record.retriesBetween ?? null,
      idleMs: record.idleMs ?? null,
      atMs,
    };
    this.#kept = mergeViolations([...this.#kept, violation]);
    if (this.#kept.includes(violation)) this.#fresh.push(violation);
  }

  /** Returns the violations kept since the last call. */
  takeFresh(): Violation[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  all(): Violation[] {
    return [...this.#kept];
  }
}

/** Selects violations, by time; the result does not depend on the order, or on merging at once or in parts. */
export function mergeViolations(violations: readonly Violation[]): Violation[] {
  const sorted = violations.toSorted(byTime);
  const firsts = checkNames.flatMap((name) => sorted.find(({ check }) => check === name) ?? []);
  const others = sorted.filter((violation) => !firsts.includes(violation));
  return [...firsts, ...others.slice(0, maxViolations - firsts.length)].toSorted(byTime);
}

const byTime = (a: Violation, b: Violation): number =>
  a.atMs - b.atMs ||
  a.session - b.session ||
  a.turn - b.turn ||
  checkNames.indexOf(a.check) - checkNames.indexOf(b.check);
