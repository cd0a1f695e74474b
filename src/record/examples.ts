import { z } from 'zod';
import { attemptClassNames, type AttemptClass } from '../protocol/outcome.ts';
import { httpVersions } from '../protocol/http-version.ts';
import { excerpt, nameOrLength } from '../base/excerpt.ts';
import { operations } from '../protocol/protocol.ts';
import { count, durationMs, text, textOrNull } from '../base/field.ts';

export const maxExamples = 10;

const maxDetailLength = 300;
const maxTextLength = 2000;
/** A longer text is not searched for secrets and therefore not stored. */
const maxSearchedLength = 1_000_000;

/** An example of a failed attempt, as published. */
export const exampleSchema = z.object({
  outcome: z.enum(attemptClassNames as [AttemptClass, ...AttemptClass[]]).describe('Class of the attempt'),
  operation: z.enum(operations).describe('Operation of the request'),
  session: count('Number of the session, from 1'),
  turn: count('Number of the turn, from 1; 0 for a creation'),
  status: z.int().describe('HTTP status; 0 when no complete response head was read'),
  detail: text('Description of the failure; secrets are redacted'),
  atMs: durationMs('End of the attempt, since the start of the run'),
  traceId: textOrNull('Id of its trace (W3C traceparent); null unless trace is set'),
  protocol: z.enum(httpVersions).describe('HTTP version of the request'),
  texts: z
    .object({
      message: text('Message sent; empty for a creation'),
      reply: text('Response body; empty without a complete reply'),
    })
    .nullable()
    .describe('Texts, cut to 2,000 characters, secrets redacted; null unless keepTexts is set'),
});
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

  /** Keeps an example; `redact` removes secrets from the detail before it is cut. */
  keep(example: Example, redact: (text: string) => string): void {
    const short = { ...example, detail: excerpt(example.detail, redact, maxDetailLength) };
    const kept = first([...(this.#kept.get(example.outcome) ?? []), short]);
    this.#kept.set(example.outcome, kept);
    if (kept.includes(short)) this.#fresh.push(short);
  }

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

/**
 * Redacts and cuts the text of an example. Secrets are searched before the cut: no part of a secret is left at the end. The strings
 * of JSON are searched one by one, too: a service that cuts a secret cuts a string, not its reply.
 */
export function keepText(text: string, redact: (text: string) => string): string {
  if (text.length > maxSearchedLength) return nameOrLength(text, maxSearchedLength);
  let left = excerpt(text, redact, maxTextLength);
  for (const quote of quotes)
    left = left
      .split(quote)
      .map((part) => (part.length < minPartLength ? part : redact(part)))
      .join('"');
  return left;
}

/** Quotes that no backslash escapes, and all, because a secret may end with a backslash. */
const quotes: readonly (string | RegExp)[] = [/(?<!\\)"/, '"'];
/** Shorter parts of a secret are not redacted. */
const minPartLength = 8;
