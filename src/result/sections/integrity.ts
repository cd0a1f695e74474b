import { z } from 'zod';
import type { Counters } from '../../record/counters.ts';
import { checkNames } from '../../session/integrity/finding.ts';
import { echoPatience } from '../../session/integrity/guard.ts';
import { count, durationMs, text } from '../../base/field.ts';

const checkNameSchema = z.enum(checkNames);

/** What the guard saw in a part of a run. */
export const integrityFiguresSchema = z.object({
  replies: count('Replies that the guard checked: those that kept the contract, in sessions without a failed turn'),
  failed: count('Of these, those that broke a check; the first check that a reply breaks names it'),
  untagged: count(
    'Replies without the tag that the active guard requested, received before any reply contained one; no check fails because of them',
  ),
  checks: z
    .array(
      z.object({
        name: checkNameSchema.describe('The check'),
        checked: count('Replies that it applied to and that no earlier check had failed'),
        failed: count('Of these, those that broke it'),
      }),
    )
    .describe('By check, in the order in which they are made'),
  turns: z
    .object({
      lost: count('Ok turns missing from the agent’s list'),
      duplicated: count('Turns listed more than once without an ambiguous retry'),
      reordered: count('Turns listed in another order'),
      repeated: count('Turns listed more than once after an ambiguous retry: no failure'),
    })
    .describe("What was wrong with the agent's own list of turns"),
  afterAmbiguousRetry: z
    .object({ checked: count('Replies checked'), failed: count('Of these, those that broke a check') })
    .describe('Of the replies, those in sessions with an ambiguous retry before them'),
});
export type IntegrityFigures = z.infer<typeof integrityFiguresSchema>;

const violationSchema = z.object({
  check: checkNameSchema.describe('The check that the reply broke'),
  session: count("The session's number, from 1"),
  turn: count("The turn's number, from 1"),
  detail: text('What was wrong; no text of the reply but codes, tags and names'),
  turnsBetween: z
    .int()
    .min(0)
    .nullable()
    .describe('Turns since the code was sent or last recalled (count; null where no code was asked for)'),
  retriesBetween: z.int().min(0).nullable().describe('Retries in that time (count; null where no code was asked for)'),
  idleMs: z
    .number()
    .min(0)
    .nullable()
    .describe('The longest idle time in between (milliseconds; null where no code was asked for)'),
  atMs: durationMs("When the reply had come, since the run's start"),
});

export const integritySchema = z.object({
  enabled: z.boolean().describe('Whether the guard checked replies'),
  mode: z
    .enum(['off', 'passive', 'active'])
    .describe('`passive`: replies were only checked; `active`: tags, a code and questions were also added to messages'),
  verdict: z
    .enum(['pass', 'fail', 'unsupported', 'no-data', 'off'])
    .describe(
      'fail: some reply of the run broke a check, the warm-up included, or had no tag before others had one; unsupported: the guard spoke, but the agent repeated nothing; no-data: there was no reply to check',
    ),
  ...integrityFiguresSchema.shape,
  examples: z
    .array(violationSchema)
    .describe(
      'Replies that broke a check, the warm-up included: the first of each check, then the earliest, ten in total',
    ),
});
export type Integrity = z.infer<typeof integritySchema>;
export type PublishedViolation = Integrity['examples'][number];

interface IntegrityParts {
  mode: Integrity['mode'];
  measured: Counters;
  /** With the warm-up: a conversation that broke there is broken too. */
  whole: Counters;
  examples: readonly PublishedViolation[];
}

/** The integrity section. Figures are of what was measured, the verdict and the examples of the whole run. */
export function buildIntegrity({ mode, measured, whole, examples }: IntegrityParts): Integrity {
  return {
    enabled: mode !== 'off',
    mode,
    verdict: mode === 'off' ? 'off' : verdictOf(buildIntegrityFigures(whole)),
    ...buildIntegrityFigures(measured),
    examples: [...examples],
  };
}

/** What the guard saw, from counters. */
export function buildIntegrityFigures({ integrity }: Pick<Counters, 'integrity'>): IntegrityFigures {
  return {
    replies: integrity.replies,
    failed: integrityFailures(integrity),
    untagged: integrity.untagged,
    checks: checkNames.map((name) => ({
      name,
      checked: integrity[`${name}.checked`],
      failed: integrity[`${name}.failed`],
    })),
    turns: {
      lost: integrity['turns.lost'],
      duplicated: integrity['turns.duplicated'],
      reordered: integrity['turns.reordered'],
      repeated: integrity['turns.repeated'],
    },
    afterAmbiguousRetry: { checked: integrity['ambiguous.checked'], failed: integrity['ambiguous.failed'] },
  };
}

/** Replies that broke a check of the guard. */
export function integrityFailures(integrity: Counters['integrity']): number {
  return checkNames.reduce((sum, name) => sum + integrity[`${name}.failed`], 0);
}

/** Replies without a tag before the first with one had failed, which was unknown then. */
function verdictOf({ replies, failed, untagged }: IntegrityFigures): Integrity['verdict'] {
  if (failed > 0) return 'fail';
  if (isUnheard({ replies, untagged })) return 'unsupported';
  if (untagged > 0) return 'fail';
  return replies > 0 ? 'pass' : 'no-data';
}

/** Whether the agent repeated no tag, in the number of replies that decides it or in all. */
export function isUnheard({ replies, untagged }: Pick<IntegrityFigures, 'replies' | 'untagged'>): boolean {
  return untagged >= echoPatience || (untagged > 0 && untagged === replies);
}
