import { z } from 'zod';
import { attemptClassNames, type AttemptClass } from '../protocol/outcome.ts';
import { httpVersions } from '../protocol/http-version.ts';
import { excerpt, nameOrLength } from '../base/excerpt.ts';
import { operations } from '../protocol/protocol.ts';

/** Maximum number of examples of one class. */
export const maxExamples = 10;

const maxDetailLength = 300;
const maxTextLength = 2000;
/** A longer text is not searched for secrets, and so not stored. */
const maxSearchedLength = 1_000_000;

export const exampleSchema = z.object({
  outcome: z.enum(attemptClassNames as [AttemptClass, ...AttemptClass[]]),
  operation: z.enum(operations),
  session: z.int().min(1),
  /** Number of the turn, from 1; 0 for a creation. */
  turn: z.int().min(0),
  /** HTTP status; 0 when no complete response head was read. */
  status: z.int(),
  detail: z.string(),
  /** End of the attempt, in milliseconds since the start of the run. */
  atMs: z.number(),
  /** Trace id; `null` if it was not traced. */
  traceId: z.string().nullable(),
  /** HTTP version of the request. */
  protocol: z.enum(httpVersions),
  /** Message and reply, if the plan requests texts. */
  texts: z.object({ message: z.string(), reply: z.string() }).nullable(),
});

/** An example of a failed attempt. */
export type Example = z.infer<typeof exampleSchema>;

/** Collects the first examples of each class of failed attempts, by the time of their end. */
export class Examples {
  readonly #kept = new Map<AttemptClass, Example[]>();
  #fresh: Example[] = [];

  /** Reports whether an example of this class and time would be kept; called before one is built. */
  wants(outcome: AttemptClass, atMs: number): boolean {
    const last = this.#kept.get(outcome)?.[maxExamples - 1];
    return last === undefined || atMs <= last.atMs;
  }

  /** `redact` removes secrets from the detail before it is cut. */
  keep(example: Example, redact: (text: string) => string): void {
    const short = { ...example, detail: excerpt(example.detail, redact, maxDetailLength) };
    const kept = first([...(this.#kept.get(example.outcome) ?? []), short]);
    this.#kept.set(example.outcome, kept);
    if (kept.includes(short)) this.#fresh.push(short);
  }

  /** Returns the examples kept since the last call. */
  takeFresh(): Example[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  all(): Example[] {
    return mergeExamples([...this.#kept.values()].flat());
  }
}

/** Selects the earliest examples of each class; the result does not depend on the order. */
export function mergeExamples(examples: readonly Example[]): Example[] {
  return attemptClassNames.flatMap((outcome) => first(examples.filter((example) => example.outcome === outcome)));
}

const first = (examples: readonly Example[]): Example[] => examples.toSorted(byTime).slice(0, maxExamples);

const byTime = (a: Example, b: Example): number =>
  a.atMs - b.atMs || a.session - b.session || a.turn - b.turn || a.status - b.status || compareText(a.detail, b.detail);

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Redacts and cuts the text of an example. Secrets are searched before the cut: no part of a secret is left at the end. */
export function keepText(text: string, redact: (text: string) => string): string {
  return text.length > maxSearchedLength ? nameOrLength(text, maxSearchedLength) : excerpt(text, redact, maxTextLength);
}
