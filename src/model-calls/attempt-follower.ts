import { instant, later, ms, type Clock, type Instant, type Ms } from '../base/time.ts';
import type { ResolvedModel } from '../scenario/model-options.ts';
import type { AttemptRecord, Observer, TurnRecord } from '../session/observer.ts';
import { parentText } from '../record/spans.ts';
import { observeAlso } from '../session/observe-also.ts';
import type { SentAttempt, Trace } from '../session/session-head.ts';
import type { AttemptFact } from './attempt-facts.ts';
import { textHashOf } from './text-hash.ts';
import { makeTraceId } from './trace-id.ts';

/** Maximum time for which facts are held back. */
const batchMs = ms(20);

/** Unique words of the model service in replies. */
const uniqueWord = /word-[a-z0-9]{13}/g;
const maxWordsPerEnd = 10;

export interface FollowerOptions {
  /** Run of the trace ids: 8 hexadecimal digits. */
  run: string;
  model: Pick<ResolvedModel, 'match' | 'delivered'>;
  clock: Clock;
  /** Reports whether the attempts of a session are marked as sampled. */
  isSampled: (session: number) => boolean;
  /** Difference between the clock of the machine and this process's clock; it may be corrected later. */
  offsetMs: Ms;
  /** Receives the facts, in order, in batches. */
  deliver: (facts: readonly AttemptFact[]) => void;
}

/** Follows the attempts of a generator process for the process that records model calls. */
export class AttemptFollower {
  offsetMs: Ms;
  readonly #options: FollowerOptions;
  #facts: AttemptFact[] = [];
  #cancel: (() => void) | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.offsetMs = options.offsetMs;
  }

  /** Returns the trace of an attempt that is about to be sent, and reports its beginning. */
  begin({ session, policy, turn, attempt, message, countedFrom, sentAt }: SentAttempt): Trace {
    const { run, model } = this.#options;
    const id = makeTraceId(run, { session, turn, attempt });
    this.#add({
      kind: 'begun',
      traceId: id,
      session,
      turn,
      attempt,
      policy,
      textHash: model.match === 'text' ? textHashOf(message) : '',
      sentAt: this.#onMachine(sentAt),
      countedFrom: this.#onMachine(countedFrom),
    });
    return { id, parent: parentText(id, this.#options.isSampled(session)) };
  }

  /** Wraps the observer of a run, which receives everything as before. */
  follow(observer: Observer): Observer {
    return observeAlso(observer, {
      attempt: (record) => this.#attemptEnded(record),
      turn: (record) => this.#turnEnded(record),
    });
  }

  /** Delivers the facts held back; to be called at the end of the run, too. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const facts = this.#facts;
    this.#facts = [];
    if (facts.length > 0) this.#options.deliver(facts);
  }

  #attemptEnded({ traceId, outcome, exchange }: AttemptRecord): void {
    if (traceId === undefined) return;
    const firstAt = exchange.content?.firstAt;
    this.#add({
      kind: 'ended',
      traceId,
      outcome,
      endedAt: this.#onMachine(exchange.endedAt),
      firstTokenAt: firstAt === undefined ? undefined : this.#onMachine(firstAt),
      words: this.#options.model.delivered ? uniqueWordsIn(exchange.stream?.text ?? exchange.body) : [],
    });
  }

  #turnEnded({ session, turn, outcome, attempts, firstSentAt, endedAt }: TurnRecord): void {
    this.#add({
      kind: 'turn',
      traceId: makeTraceId(this.#options.run, { session: session.number, turn, attempt: attempts }),
      session: session.number,
      turn,
      policy: session.policy,
      outcome,
      attempts,
      firstSentAt: this.#onMachine(firstSentAt),
      endedAt: this.#onMachine(endedAt),
    });
  }

  #add(fact: AttemptFact): void {
    this.#facts.push(fact);
    const { clock } = this.#options;
    this.#cancel ??= clock.wakeAt(later(clock.now(), batchMs), () => this.flush());
  }

  #onMachine(at: Instant): Instant {
    return instant(at + this.offsetMs);
  }
}

/** Returns the first and the last unique words of a reply. */
function uniqueWordsIn(text: string): string[] {
  const words = [...new Set(text.match(uniqueWord))];
  return words.length <= 2 * maxWordsPerEnd
    ? words
    : [...words.slice(0, maxWordsPerEnd), ...words.slice(-maxWordsPerEnd)];
}
