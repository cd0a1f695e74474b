import type { StoredSession } from '../conversation/session-store.ts';

/** A reply to send. */
export interface GivenReply {
  response: string;
  chatId: string;
}

/** The state of a session that sabotage needs besides its conversation. */
export class Trail {
  /** The last message that was rejected, or left without an answer, before any work on it. */
  refused: string | undefined;
  /** Number of turns that the agent has permanently forgotten. */
  forgotten = 0;
  #message: string | undefined;
  #latest: GivenReply | undefined;
  #before: GivenReply | undefined;

  /** Another attempt of a turn replaces the previous one. */
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
export function isStored({ conversation }: StoredSession, message: string): boolean {
  return conversation.latestMessage === message;
}

/** Reports whether there are turns before the turn with this message, whose own earlier attempts may be stored. */
export function hasEarlier({ conversation }: StoredSession, message: string): boolean {
  if (conversation.count === 0) return false;
  return conversation.latestMessage !== message || conversation.at(1)?.message !== message;
}

/** The latest value, and the latest of any other owner: enough to find a value of another owner. */
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
