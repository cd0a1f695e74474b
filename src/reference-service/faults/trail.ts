import type { StoredSession } from '../conversation/session-store.ts';

/** A reply as it leaves. */
export interface GivenReply {
  response: string;
  chatId: string;
}

/** The state that sabotage needs of a session, beyond its conversation. */
export class Trail {
  /** The last message that was refused, or met without an answer, before any work on it. */
  refused: string | undefined;
  /** Turns of the conversation that the agent has forgotten for good. */
  forgotten = 0;
  #message: string | undefined;
  #latest: GivenReply | undefined;
  #before: GivenReply | undefined;

  /** Another attempt of a turn replaces the one before it. */
  reply(message: string, given: GivenReply): void {
    if (message !== this.#message) this.#before = this.#latest;
    this.#message = message;
    this.#latest = given;
  }

  /** The reply to the turn before the one with this message. */
  beforeTurn(message: string): GivenReply | undefined {
    return message === this.#message ? this.#before : this.#latest;
  }
}

/** Whether a message is another attempt of the turn that was stored last. */
export function isStored({ conversation }: StoredSession, message: string): boolean {
  return conversation.latestMessage === message;
}

/** Whether there have been turns before the one with this message, whose own earlier attempts may be stored. */
export function hasEarlier({ conversation }: StoredSession, message: string): boolean {
  if (conversation.count === 0) return false;
  return conversation.latestMessage !== message || conversation.at(1)?.message !== message;
}

/** The latest value, and the latest of any other owner: enough to find one of another owner. */
export class LastTwo<Owner, Value> {
  #latest: { owner: Owner; value: Value } | undefined;
  #other: { owner: Owner; value: Value } | undefined;

  note(owner: Owner, value: Value): void {
    if (this.#latest?.owner !== owner) this.#other = this.#latest;
    this.#latest = { owner, value };
  }

  /** The latest value of another owner. */
  notOf(owner: Owner): Value | undefined {
    return (this.#latest?.owner === owner ? this.#other : this.#latest)?.value;
  }
}
