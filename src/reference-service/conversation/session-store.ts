import { randomUUID } from 'node:crypto';
import { between, type Clock, type Instant } from '../../base/time.ts';
import type { ResolvedEmbedded } from '../../scenario/embedded.ts';
import { StoredConversation, type NewTurn } from './conversation.ts';

export interface StoredSession {
  readonly id: string;
  readonly agentId: string;
  readonly conversation: StoredConversation;
  /** Messages to one session are served one after another. */
  readonly queue: TurnQueue;
  lastUsedAt: Instant;
}

type StoreLimits = Pick<ResolvedEmbedded, 'maxSessions' | 'maxIdle' | 'maxTurnsPerSession' | 'maxStoredCharacters'>;

/**
 * The stored sessions, limited in number, age and characters. The longest-idle session is forgotten first: the map is
 * kept in the order of last use.
 */
export class SessionStore {
  readonly #limits: StoreLimits;
  readonly #clock: Clock;
  readonly #sessions = new Map<string, StoredSession>();
  #newest: StoredSession | undefined;
  #characters = 0;
  #created = 0;
  #evicted = 0;
  #turnsStored = 0;
  #turnsRepeated = 0;

  constructor(limits: StoreLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  create(agentId: string): StoredSession {
    const { maxTurnsPerSession: turns, maxStoredCharacters: characters } = this.#limits;
    const conversation = new StoredConversation({ turns, characters });
    const session = { id: randomUUID(), agentId, conversation, queue: new TurnQueue(), lastUsedAt: this.#clock.now() };
    this.#sessions.set(session.id, session);
    this.#newest = session;
    this.#created++;
    this.#evictIdle();
    while (this.#sessions.size > this.#limits.maxSessions) this.#forgetOldest();
    return session;
  }

  /** Returns the session with this id; `undefined` if there is none or it is forgotten. */
  find(id: string): StoredSession | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || !this.#isIdle(session)) return session;
    this.#evictIdle();
    return undefined;
  }

  /** Marks a session as last used. */
  touch(session: StoredSession): void {
    session.lastUsedAt = this.#clock.now();
    if (session === this.#newest || !this.#sessions.delete(session.id)) return;
    this.#sessions.set(session.id, session);
    this.#newest = session;
  }

  /** Adds a turn to a session; ignores a session that was forgotten while its reply was in progress. */
  addTurn(session: StoredSession, turn: NewTurn): void {
    if (session.conversation.latestMessage === turn.message) this.#turnsRepeated++;
    this.#turnsStored++;
    this.copyTurn(session, turn);
  }

  /** Adds a turn that another session has stored. */
  copyTurn(session: StoredSession, turn: NewTurn): void {
    const before = session.conversation.characters;
    session.conversation.add(turn);
    if (!this.#sessions.has(session.id)) return;
    this.#characters += session.conversation.characters - before;
    this.touch(session);
    // The session used last is never removed: it is being served.
    while (this.#characters > this.#limits.maxStoredCharacters && this.#sessions.size > 1) this.#forgetOldest();
  }

  figures() {
    this.#evictIdle();
    return {
      sessions: { live: this.#sessions.size, created: this.#created, evicted: this.#evicted },
      turnsStored: this.#turnsStored,
      turnsRepeated: this.#turnsRepeated,
      storedCharacters: this.#characters,
    };
  }

  #isIdle(session: StoredSession): boolean {
    return between(session.lastUsedAt, this.#clock.now()) >= this.#limits.maxIdle;
  }

  #evictIdle(): void {
    for (const session of this.#sessions.values()) {
      if (!this.#isIdle(session)) return;
      this.#forgetOldest();
    }
  }

  #forgetOldest(): void {
    for (const [id, session] of this.#sessions) {
      this.#sessions.delete(id);
      this.#characters -= session.conversation.characters;
      this.#evicted++;
      return;
    }
  }
}

/** Runs tasks one after another, in order of arrival; synchronous ones run at once if none is in progress. */
export class TurnQueue {
  #last: Promise<void> | undefined;

  get isFree(): boolean {
    return this.#last === undefined;
  }

  /** Runs a task after all earlier tasks. `work` must not throw or reject, because later tasks wait for its end. */
  run(work: () => void | Promise<void>): void {
    const mine = this.#last === undefined ? work() : this.#last.then(work);
    if (mine === undefined) return;
    this.#last = mine;
    void mine.then(() => {
      if (this.#last === mine) this.#last = undefined;
    });
  }
}
