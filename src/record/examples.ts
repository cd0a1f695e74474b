import { z } from 'zod';
import { attemptClassNames, type AttemptClass } from '../protocol/outcome.ts';
import { httpVersions } from '../protocol/http-version.ts';
import { excerpt, nameOrLength } from '../base/excerpt.ts';
import { operations } from '../protocol/protocol.ts';

/** Examples kept of one class. */
export const maxExamples = 10;

const maxDetailLength = 300;
const maxTextLength = 2000;
/** A longer text is not searched for secrets, and so not kept. */
const maxSearchedLength = 1_000_000;

export const exampleSchema = z.object({
  outcome: z.enum(attemptClassNames as [AttemptClass, ...AttemptClass[]]),
  operation: z.enum(operations),
  session: z.int().min(1),
  /** From 1; 0 for a creation. */
  turn: z.int().min(0),
  /** 0 when no whole response head was read. */
  status: z.int(),
  detail: z.string(),
  /** When the attempt ended, in milliseconds since the run's start. */
  atMs: z.number(),
  /** By which a tracing system knows the attempt; `null`: it was not traced. */
  traceId: z.string().nullable(),
  /** The version of HTTP that it was sent over. */
  protocol: z.enum(httpVersions),
  /** What was said, where the plan asks for it. */
  texts: z.object({ message: z.string(), reply: z.string() }).nullable(),
});

/** One attempt that was not ok, to look at. */
export type Example = z.infer<typeof exampleSchema>;

/** The first few attempts of each class that is not ok, by the time of their end. */
export class Examples {
  readonly #kept = new Map<AttemptClass, Example[]>();
  #fresh: Example[] = [];

  /** Whether an example of this class and time would be kept: asked before one is made. */
  wants(outcome: AttemptClass, atMs: number): boolean {
    const last = this.#kept.get(outcome)?.[maxExamples - 1];
    return last === undefined || atMs <= last.atMs;
  }

  /** `redact`: takes secrets out of the detail, before it is cut. */
  keep(example: Example, redact: (text: string) => string): void {
    const short = { ...example, detail: excerpt(example.detail, redact, maxDetailLength) };
    const kept = first([...(this.#kept.get(example.outcome) ?? []), short]);
    this.#kept.set(example.outcome, kept);
    if (kept.includes(short)) this.#fresh.push(short);
  }

  /** Those kept since the last call. */
  takeFresh(): Example[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  all(): Example[] {
    return mergeExamples([...this.#kept.values()].flat());
  }
}

/** The examples to keep out of any number: by class, the earliest of each. The same in any order. */
export function mergeExamples(examples: readonly Example[]): Example[] {
  return attemptClassNames.flatMap((outcome) => first(examples.filter((example) => example.outcome === outcome)));
}

const first = (examples: readonly Example[]): Example[] => examples.toSorted(byTime).slice(0, maxExamples);

const byTime = (a: Example, b: Example): number =>
  a.atMs - b.atMs || a.session - b.session || a.turn - b.turn || a.status - b.status || compareText(a.detail, b.detail);

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A text of a conversation as an example keeps it. Searched before it is cut: no part of a secret is left at the end. */
export function keepText(text: string, redact: (text: string) => string): string {
  return text.length > maxSearchedLength ? nameOrLength(text, maxSearchedLength) : excerpt(text, redact, maxTextLength);
}
