import type { z } from 'zod';
import { ms, type Ms } from '../base/time.ts';
import { duration } from './duration.ts';
import { kindSchema, type KindOptions, type KindRow } from './embedded-kinds.ts';
import {
  checkTiming,
  resolveTiming,
  timingFields,
  type ResolvedTiming,
  type StrikeTimingOptions,
} from './embedded-timing.ts';

const plain = (meaning: string, example: StrikeTimingOptions = { share: 0.01 }) => ({ meaning, example, fields: {} });

/** Defects of replies that look valid, in the order of `/stats`. */
export const sabotageTable = {
  /** From the second turn on. */
  forget: plain('Answers as if there had been no earlier turns'),
  /** Text and `chatId`, under this session's id; once there is one. */
  swap: plain("Sends another session's latest reply"),
  /**
   * The conversation and `/ledger` lack the turn from then on. From the second turn on (the content of turn 1 stays
   * known), and only if no earlier attempt of the turn is stored.
   */
  drop: plain('Answers the turn but does not store it', { every: 20 }),
  /** On a turn that a fault rejected, or left without an answer, before it was first stored. */
  store_twice: plain('Stores a turn twice if an earlier attempt failed', { share: 0.5 }),
  /** Text and `chatId`. From the second turn on. */
  previous: plain("Repeats the reply to the session's previous turn"),
  placeholder: plain('Leaves a `{{name}}` in the reply'),
  /** The body conforms to the contract; the text contains nothing that was requested. */
  error_text: plain('200, but the text is an error message'),
  /** The latest one (`remember` of the prompts), if there is one. */
  leak: plain("The reply also contains another session's code"),
  /** The latest values of another session, if they differ from this session's. */
  foreign_values: plain("The reply also contains another session's variable values"),
  idle_amnesia: {
    meaning: 'Forgets all earlier turns after a session was idle for `idle`',
    example: { idle: '5m' },
    fields: { idle: duration },
  },
} satisfies Record<string, KindRow>;

/**
 * Defects that the embedded service adds to conforming replies, to show that a check of conversations finds them.
 * `every`, `first` and `share` only count messages on which a kind can have an effect, as the table shows. Messages with a
 * fault are not affected. If several apply, only the first of the list takes effect. The service stores the turn as the
 * agent made it, unless a kind changes that.
 */
export type SabotageOptions = SabotageKindOptions & StrikeTimingOptions;

type SabotageKindOptions = KindOptions<typeof sabotageTable>;

export type SabotageKind = keyof typeof sabotageTable;

/** A sabotage as read: JSON-safe, with all defaults. */
export interface ResolvedSabotage extends ResolvedTiming {
  kind: SabotageKind;
  /** Idle time before it applies; 0 for kinds that do not depend on it. */
  idleMs: Ms;
}

/** The schema of one sabotage: accepts `SabotageOptions`, returns `ResolvedSabotage`. */
export const sabotageOptions: z.ZodType<ResolvedSabotage, SabotageOptions> = kindSchema(sabotageTable, timingFields)
  .superRefine(checkTiming)
  .transform((sabotage): ResolvedSabotage => ({
    ...resolveTiming(sabotage),
    kind: sabotage.kind,
    idleMs: sabotage.kind === 'idle_amnesia' ? sabotage.idle : ms(0),
  }));
