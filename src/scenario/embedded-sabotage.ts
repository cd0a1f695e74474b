import type { z } from 'zod';
import { ms, type Ms } from '../base/time.ts';
import { duration } from './duration.ts';
import { kindSchema, type KindOptions, type KindRow } from './embedded-kinds.ts';
import {
  refuseTiming,
  settleTiming,
  timingFields,
  type SettledTiming,
  type StrikeTimingOptions,
} from './embedded-timing.ts';

const plain = (meaning: string, example: StrikeTimingOptions = { share: 0.01 }) => ({ meaning, example, fields: {} });

/** What the service can do wrong in replies that look right, in the order of `/stats`. */
export const sabotageTable = {
  /** From the second turn on. */
  forget: plain('It answers as if there had been no earlier turns'),
  /** Text and `chatId`, under this session's id; once there is one. */
  swap: plain("It gives another session's latest reply"),
  /**
   * The conversation and `/ledger` lack the turn from then on. From the second turn on (the content of turn 1 stays
   * known), and not where an earlier attempt of the turn is stored.
   */
  drop: plain('It answers the turn but does not store it', { every: 20 }),
  /** On a turn that a fault had refused, or met without an answer, before it was first stored. */
  store_twice: plain('It stores a turn twice when an earlier attempt failed', { share: 0.5 }),
  /** Text and `chatId`. From the second turn on. */
  previous: plain("It repeats the reply to the session's previous turn"),
  placeholder: plain('It leaves a `{{name}}` in the reply'),
  /** The body keeps the contract; the text holds nothing that was asked for. */
  error_text: plain('200, but the text is an error'),
  /** The latest one (`remember` of the questions), once there is one. */
  leak: plain("Another session's code is in the reply too"),
  /** Those that another session brought last, once there are any that are not this one's. */
  foreign_values: plain("Another session's variable values are in the reply too"),
  idle_amnesia: {
    meaning: 'After a session was idle for `idle`, it forgets everything said before',
    example: { idle: '5m' },
    fields: { idle: duration },
  },
} satisfies Record<string, KindRow>;

/**
 * What the embedded service does wrong in replies that keep the contract: for showing that a check of conversations
 * finds it. `every`, `first` and `share` count only messages on which a kind can show at all, as the table says. A
 * message that a fault strikes is left alone. Where several strike, the first of the list happens; one happens at most.
 * What is stored is the turn as the agent made it, unless a kind says otherwise.
 */
export type SabotageOptions = SabotageKindOptions & StrikeTimingOptions;

type SabotageKindOptions = KindOptions<typeof sabotageTable>;

export type SabotageKind = keyof typeof sabotageTable;

/** A sabotage as read: JSON-safe, every default filled in. */
export interface SettledSabotage extends SettledTiming {
  kind: SabotageKind;
  /** How long without a message before it strikes; 0 for kinds that do not depend on it. */
  idleMs: Ms;
}

/** The schema of one sabotage: takes `SabotageOptions`, gives `SettledSabotage`. */
export const sabotageOptions: z.ZodType<SettledSabotage, SabotageOptions> = kindSchema(sabotageTable, timingFields)
  .superRefine(refuseTiming)
  .transform((sabotage): SettledSabotage => ({
    ...settleTiming(sabotage),
    kind: sabotage.kind,
    idleMs: sabotage.kind === 'idle_amnesia' ? sabotage.idle : ms(0),
  }));
