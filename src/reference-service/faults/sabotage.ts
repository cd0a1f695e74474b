import type { Ms } from '../../base/time.ts';
import { keyOf, randomOf } from '../../base/random.ts';
import { zeroCounts } from '../../scenario/embedded-kinds.ts';
import { sabotageTable, type SabotageKind, type ResolvedSabotage } from '../../scenario/embedded-sabotage.ts';
import type { EarlierTurns } from '../conversation/conversation.ts';
import { nameFact, givenCode } from '../conversation/compose-reply.ts';
import type { Fact } from '../conversation/instructions.ts';
import { Strikes, isWithin } from './faults.ts';
import { turnsSince } from '../conversation/transcript.ts';
import type { StoredSession } from '../conversation/session-store.ts';

/** A message to be answered. */
export interface SabotagedTurn {
  session: StoredSession;
  message: string;
  /** Values that the agent needs. */
  facts: readonly Fact[];
  /** Arrival, since the service's start. */
  at: Ms;
  /** Time since the session's previous message. */
  idle: Ms;
}

/** Adds defects to conforming replies, and keeps the state for that. Without sabotage it does nothing. */
export class Sabotage {
  readonly #isOn: boolean;
  readonly #strikes: Strikes<ResolvedSabotage>;
  readonly #trails = new WeakMap<StoredSession, Trail>();
  readonly #replies = new LastTwo<StoredSession, GivenReply>();
  readonly #codes = new LastTwo<StoredSession, string>();
  readonly #facts = new LastTwo<StoredSession, readonly Fact[]>();
  readonly #counts = zeroCounts(sabotageTable);

  constructor(sabotage: readonly ResolvedSabotage[], seed: number) {
    this.#isOn = sabotage.length > 0;
    this.#strikes = new Strikes(sabotage, randomOf(seed, keyOf('sabotage')));
  }

  /** Returns the sabotage of a message to be answered now, if any. */
  strike(subject: SabotagedTurn): SabotageKind | undefined {
    if (!this.#isOn) return undefined;
    return this.#strikes.pick((sabotage) => isWithin(sabotage, subject.at) && this.#canShow(sabotage, subject))?.kind;
  }

  /** Returns the conversation as the agent remembers it. */
  earlier({ session }: SabotagedTurn, kind: SabotageKind | undefined): EarlierTurns {
    if (!this.#isOn) return session.conversation;
    const { count } = session.conversation;
    const forgets = kind === 'forget' || kind === 'idle_amnesia';
    return turnsSince(session.conversation, forgets ? count : this.#trailOf(session).forgotten);
  }

  /** Records a message that a fault rejected, or left without an answer, before any work. */
  refused(session: StoredSession, message: string): void {
    if (this.#isOn) this.#trailOf(session).refused = message;
  }

  /** Returns the reply to send, and counts its defect; called before the turn is stored. */
  apply({ session, message, facts }: SabotagedTurn, kind: SabotageKind | undefined, made: GivenReply): GivenReply {
    if (!this.#isOn) return made;
    if (kind !== undefined) this.#counts[kind]++;
    const trail = this.#trailOf(session);
    if (kind === 'idle_amnesia') trail.forgotten = session.conversation.count;
    const given = this.#breakReply({ session, message, facts }, kind, made);
    trail.reply(message, given);
    this.#replies.note(session, made);
    const code = givenCode(message);
    if (code !== undefined) this.#codes.note(session, code);
    if (facts.length > 0) this.#facts.note(session, facts);
    return given;
  }

  /** Returns the number of replies with a defect, by kind. */
  counts(): Record<SabotageKind, number> {
    return { ...this.#counts };
  }

  #breakReply(
    { session, message, facts }: Pick<SabotagedTurn, 'session' | 'message' | 'facts'>,
    kind: SabotageKind | undefined,
    made: GivenReply,
  ): GivenReply {
    switch (kind) {
      case 'swap':
        return this.#replies.notOf(session) ?? made;
      case 'previous':
        return this.#trailOf(session).beforeTurn(message) ?? made;
      case 'placeholder':
        return { ...made, response: `${made.response} Anything else, {{customerName}}?` };
      case 'error_text':
        return { ...made, response: 'Sorry, something went wrong. Please try again later.' };
      case 'leak':
        return { ...made, response: `${made.response} The code is ${this.#codes.notOf(session) ?? ''}` };
      case 'foreign_values': {
        const foreign = this.#factsNotOf(session, facts).map(nameFact);
        return { ...made, response: `${made.response} I also know: ${foreign.join(', ')}.` };
      }
      default:
        return made;
    }
  }

  #canShow({ kind, idleMs }: ResolvedSabotage, { session, message, facts, idle }: SabotagedTurn): boolean {
    switch (kind) {
      case 'forget':
        return hasEarlier(session, message);
      case 'swap':
        return this.#replies.notOf(session) !== undefined;
      case 'drop':
        return hasEarlier(session, message) && !isStored(session, message);
      case 'store_twice':
        return this.#trailOf(session).refused === message && !isStored(session, message);
      case 'previous':
        return this.#trailOf(session).beforeTurn(message) !== undefined;
      case 'leak':
        return this.#codes.notOf(session) !== undefined;
      case 'foreign_values':
        return this.#factsNotOf(session, facts).length > 0;
      case 'idle_amnesia':
        return idle >= idleMs && hasEarlier(session, message);
      case 'placeholder':
      case 'error_text':
        return true;
    }
  }

  /** Returns the latest values of another session that this one does not have. */
  #factsNotOf(session: StoredSession, own: readonly Fact[]): Fact[] {
    const foreign = this.#facts.notOf(session) ?? [];
    return foreign.filter(({ value }) => !own.some((fact) => fact.value === value));
  }

  #trailOf(session: StoredSession): Trail {
    let trail = this.#trails.get(session);
    if (trail === undefined) this.#trails.set(session, (trail = new Trail()));
    return trail;
  }
}

/** Returns the number of times that a turn is stored. */
export function copiesUnder(kind: SabotageKind | undefined): number {
  if (kind === 'drop') return 0;
  return kind === 'store_twice' ? 2 : 1;
}

/** A reply to send. */
interface GivenReply {
  response: string;
  chatId: string;
}

/** The state of a session that sabotage needs besides its conversation. */
class Trail {
  /** The last message that was rejected, or left without an answer, before any work on it. */
  refused: string | undefined;
  /** Number of turns that the agent has permanently forgotten. */
  forgotten = 0;
  #message: string | undefined;
  #latest: GivenReply | undefined;
  #before: GivenReply | undefined;

  /** Records a reply; the reply to another attempt of a turn replaces the previous one. */
  reply(message: string, given: GivenReply): void {
    if (message !== this.#message) this.#before = this.#latest;
    this.#message = message;
    this.#latest = given;
  }

  /** Returns the reply to the turn before the turn with this message. */
  beforeTurn(message: string): GivenReply | undefined {
    return message === this.#message ? this.#before : this.#latest;
  }
}

/** Reports whether a message is another attempt of the turn that was stored last. */
function isStored({ conversation }: StoredSession, message: string): boolean {
  return conversation.latestMessage === message;
}

/** Reports whether there are turns before the turn with this message, whose own earlier attempts may be stored. */
function hasEarlier({ conversation }: StoredSession, message: string): boolean {
  if (conversation.count === 0) return false;
  return conversation.latestMessage !== message || conversation.at(1)?.message !== message;
}

/** The latest value, and the latest value of any other owner, which suffices to find a value of another owner. */
export class LastTwo<Owner, Value> {
  #latest: { owner: Owner; value: Value } | undefined;
  #other: { owner: Owner; value: Value } | undefined;

  note(owner: Owner, value: Value): void {
    if (this.#latest?.owner !== owner) this.#other = this.#latest;
    this.#latest = { owner, value };
  }

  /** Returns the latest value of another owner. */
  notOf(owner: Owner): Value | undefined {
    return (this.#latest?.owner === owner ? this.#other : this.#latest)?.value;
  }
}
