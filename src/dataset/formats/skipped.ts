import type { Problem } from './format.ts';

const unwanted = ['duplicate', 'otherLanguage', 'tooFewTurns', 'tooManyTurns', 'notSampled'] as const;

/** Why a conversation was not taken: it could not be read, or was not asked for. */
export const skips = [
  'malformed',
  'tooLong',
  'otherForm',
  'unknownRole',
  'noUserMessage',
  ...unwanted,
] as const satisfies readonly (Problem | (typeof unwanted)[number])[];
export type Skip = (typeof skips)[number];

/** What was left out for one reason. */
export interface Left {
  count: number;
  /** Where, the first few: `line 12`, and what was wrong there. */
  first: { where: string; detail: string }[];
}

const mostNamed = 5;

/** Counts what is left out, by reason, and names the first of each. */
export class SkipCounts {
  readonly #counts = new Map<Skip, Left>();

  add(reason: Skip, where: string, detail = ''): void {
    const left = this.#counts.get(reason) ?? { count: 0, first: [] };
    left.count++;
    if (left.first.length < mostNamed) left.first.push({ where, detail });
    this.#counts.set(reason, left);
  }

  countOf(reason: Skip): number {
    return this.#counts.get(reason)?.count ?? 0;
  }

  /** By reason, the most frequent first. */
  all(): readonly (Left & { reason: Skip })[] {
    return [...this.#counts].map(([reason, left]) => ({ reason, ...left })).toSorted((a, b) => b.count - a.count);
  }
}
