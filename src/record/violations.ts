import { z } from 'zod';
import { checkNames } from '../session/integrity/finding.ts';
import type { IntegrityRecord } from '../session/observer.ts';
import { amountOrNull, count, durationMs, text } from '../base/field.ts';

export const maxViolations = 10;

/** A reply that broke a check of the integrity guard, as published. */
export const violationSchema = z.object({
  check: z.enum(checkNames).describe('Check that the reply broke'),
  session: count('Number of the session, from 1'),
  turn: count('Number of the turn, from 1'),
  detail: text('Description of the violation; contains codes, tags and names, but no reply text'),
  turnsBetween: z
    .int()
    .min(0)
    .nullable()
    .describe('Turns since the code was sent or last recalled (count; null if no code was requested)'),
  retriesBetween: z.int().min(0).nullable().describe('Retries in that time (count; null if no code was requested)'),
  idleMs: amountOrNull('Longest idle time in between (milliseconds; null if no code was requested)'),
  atMs: durationMs('Arrival of the complete reply, since the start of the run'),
});
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
