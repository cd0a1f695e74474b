import { z } from 'zod';
import type { Counters } from '../../record/counters.ts';
import { violationSchema, type Violation } from '../../record/violations.ts';
import { checkNames } from '../../session/integrity/finding.ts';
import { echoPatience } from '../../session/integrity/guard.ts';
import { count, flag } from '../../base/field.ts';

const checkNameSchema = z.enum(checkNames);

export const integrityFiguresSchema = z.object({
  replies: count('Replies that the guard checked: conforming replies in sessions without a failed turn'),
  failed: count('Replies that broke a check; each counts for the first check that it broke'),
  untagged: count(
    'Replies without the tag requested by an active guard, before any reply contained one; they fail no check',
  ),
  checks: z
    .array(
      z.object({
        name: checkNameSchema.describe('Name of the check'),
        checked: count('Replies that it applied to and that had passed all earlier checks'),
        failed: count('Replies that broke it'),
      }),
    )
    .describe('Counts by check, in the order of checking'),
  turns: z
    .object({
      lost: count('Ok turns missing from the agent’s list'),
      duplicated: count('Turns listed more than once without an ambiguous retry'),
      reordered: count('Turns listed in another order'),
      repeated: count('Turns listed more than once after an ambiguous retry, which is not a failure'),
    })
    .describe("Errors in the agent's own list of turns"),
  afterAmbiguousRetry: z
    .object({ checked: count('Replies checked'), failed: count('Replies that broke a check') })
    .describe('Replies after an ambiguous retry in their session'),
});
export type IntegrityFigures = z.infer<typeof integrityFiguresSchema>;

export const integritySchema = z.object({
  enabled: flag('True if the guard checked replies'),
  mode: z
    .enum(['off', 'passive', 'active'])
    .describe('`passive`: checks of replies only; `active`: also adds tags, a code and questions to messages'),
  verdict: z
    .enum(['pass', 'fail', 'unsupported', 'no-data', 'off'])
    .describe(
      'fail: a reply broke a check, including the warm-up, lacked the tag before others had it, or contained a word of a model call of another session; unsupported: the agent never repeated the requested tag; no-data: there was no reply to check',
    ),
  ...integrityFiguresSchema.shape,
  foreignWords: count(
    'Ok turns whose reply contained the unique word of a model call of another session, including the warm-up; absent without any',
  ).optional(),
  examples: z
    .array(violationSchema)
    .describe(
      'Replies that broke a check, including the warm-up: the first of each check, then the earliest, ten in total',
    ),
});
export type Integrity = z.infer<typeof integritySchema>;

/**
 * Figures cover the measured part; the verdict and examples cover the whole run, since broken sessions stay broken. A word
 * of a model call of another session fails in every mode.
 */
export function buildIntegrity(
  mode: Integrity['mode'],
  { measured, whole, examples }: { measured: Counters; whole: Counters; examples: Violation[] },
): Integrity {
  const { foreignWords } = whole.modelCalls;
  return {
    enabled: mode !== 'off',
    mode,
    verdict: foreignWords > 0 ? 'fail' : mode === 'off' ? 'off' : verdictOf(buildIntegrityFigures(whole)),
    ...buildIntegrityFigures(measured),
    ...(foreignWords > 0 && { foreignWords }),
    examples,
  };
}

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

export function integrityFailures(integrity: Counters['integrity']): number {
  return checkNames.reduce((sum, name) => sum + integrity[`${name}.failed`], 0);
}

/** Returns the verdict. Replies without a tag before the first with one had failed, which was unknown at the time. */
function verdictOf({ replies, failed, untagged }: IntegrityFigures): Integrity['verdict'] {
  if (failed > 0) return 'fail';
  if (isUnheard({ replies, untagged })) return 'unsupported';
  if (untagged > 0) return 'fail';
  return replies > 0 ? 'pass' : 'no-data';
}

/** Reports whether the agent repeated no tag, in the deciding number of replies or in all. */
export function isUnheard({ replies, untagged }: Pick<IntegrityFigures, 'replies' | 'untagged'>): boolean {
  return untagged >= echoPatience || (untagged > 0 && untagged === replies);
}
