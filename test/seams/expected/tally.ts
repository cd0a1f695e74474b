import type { Fact } from '../oracle/facts.ts';

/** Facts by name: how often each happened, and the lengths of time. */
export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #times = new Map<string, number[]>();

  constructor(facts: readonly Fact[]) {
    for (const { what, value } of facts) {
      if (!what.startsWith('time.')) this.#counts.set(what, this.count(what) + value);
      else if (!this.#times.has(what)) this.#times.set(what, [value]);
      else this.#times.get(what)?.push(value);
    }
  }

  count(what: string): number {
    return this.#counts.get(what) ?? 0;
  }

  /** The sum of all whose name begins so. */
  sum(start: string): number {
    return Object.values(this.under(start)).reduce((total, each) => total + each, 0);
  }

  /** Returns the counts whose names have this prefix, keyed by the rest of the name. */
  under(start: string): Record<string, number> {
    const those = [...this.#counts].filter(([what]) => what.startsWith(start));
    return Object.fromEntries(those.map(([what, counted]) => [what.slice(start.length), counted]));
  }

  /** Returns the count of each name with this prefix. */
  each(start: string, names: readonly string[]): Record<string, number> {
    return Object.fromEntries(names.map((name) => [name, this.count(start + name)]));
  }

  times(what: string): readonly number[] {
    return this.#times.get(`time.${what}`) ?? [];
  }
}
