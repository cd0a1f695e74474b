import { z } from 'zod';
import { ms, type Ms } from '../base/time.ts';
import { unknownName } from '../base/unknown-name.ts';
import { closedObject } from './closed-object.ts';
import { duration, type Duration } from './duration.ts';
import {
  writtenKind,
  refuseTiming,
  settleTiming,
  timingFields,
  type SettledTiming,
  type StrikeTimingOptions,
} from './embedded-timing.ts';

/**
 * What the embedded service does wrong in replies that keep the contract: for showing that a check of conversations
 * finds it. `every`, `first` and `share` count only messages on which a kind can show at all, as said at each. A
 * message that a fault strikes is left alone. Where several strike, the first of the list happens; one happens at most.
 * What is stored is the turn as the agent made it, unless a kind says otherwise.
 */
export type SabotageOptions = SabotageKindOptions & StrikeTimingOptions;

type SabotageKindOptions =
  /** The agent answers as if there had been no earlier turns. From the second turn on. */
  | { kind: 'forget' }
  /** The latest reply made in another session is given, text and `chatId`, under this session's id. Once there is one. */
  | { kind: 'swap' }
  /**
   * The turn is answered but not stored: the conversation and `/ledger` lack it from then on. From the second turn on
   * (the content of turn 1 stays known), and not where an earlier attempt of the turn is stored.
   */
  | { kind: 'drop' }
  /** The turn is stored twice. On a turn that a fault had refused, or met without an answer, before it was first stored. */
  | { kind: 'store_twice' }
  /** The reply to the session's turn before is given again, text and `chatId`. From the second turn on. */
  | { kind: 'previous' }
  /** A `{{name}}` is left in the reply. */
  | { kind: 'placeholder' }
  /** 200 and a body that keeps the contract, but the text is an error and holds nothing that was asked for. */
  | { kind: 'error_text' }
  /** The latest code of another session (`remember` of the questions) is in the reply too, once there is one. */
  | { kind: 'leak' }
  /** The values that another session brought last are in the reply too. Once there are any that are not this one's. */
  | { kind: 'foreign_values' }
  /** The agent forgets for good what was said before, when a session was without a message for this long. */
  | { kind: 'idle_amnesia'; idle: Duration };

export type SabotageKind = SabotageKindOptions['kind'];

/** A sabotage as read: JSON-safe, every default filled in. */
export interface SettledSabotage extends SettledTiming {
  kind: SabotageKind;
  /** How long without a message before it strikes; 0 for kinds that do not depend on it. */
  idleMs: Ms;
}

const bareKinds = [
  'forget',
  'swap',
  'drop',
  'store_twice',
  'previous',
  'placeholder',
  'error_text',
  'leak',
  'foreign_values',
] as const satisfies readonly SabotageKind[];

/** Every kind there is, in the order of `/stats`. */
export const sabotageKinds: readonly SabotageKind[] = [...bareKinds, 'idle_amnesia'];

const anySabotage = z.discriminatedUnion(
  'kind',
  [
    closedObject({ kind: z.enum(bareKinds), ...timingFields }),
    closedObject({ kind: z.literal('idle_amnesia'), ...timingFields, idle: duration }),
  ],
  { error: (issue) => unknownName('kind', writtenKind(issue.input), sabotageKinds) },
);

/** The schema of one sabotage: takes `SabotageOptions`, gives `SettledSabotage`. */
export const sabotageOptions = anySabotage.superRefine(refuseTiming).transform((sabotage): SettledSabotage => ({
  ...settleTiming(sabotage),
  kind: sabotage.kind,
  idleMs: sabotage.kind === 'idle_amnesia' ? sabotage.idle : ms(0),
}));
