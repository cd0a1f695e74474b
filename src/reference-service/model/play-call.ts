import type { Clock, Instant, Ms } from '../../base/time.ts';
import type { MadeReply } from '../model-api/make-reply.ts';
import type { ModelApi } from '../model-api/model-api.ts';
import type { PlacedFault, StoppingFault } from '../model-api/place-fault.ts';
import { Playback, type ReplyStream } from '../model-api/playback.ts';
import type { ModelContext } from './model-context.ts';
import type { OpenCall } from './open-call.ts';

/** A reply to play. */
interface PlayedReply {
  api: ModelApi;
  made: MadeReply;
  fault: PlacedFault | undefined;
  /** Unique word of the reply. */
  word: string | undefined;
  drawGap: () => Ms;
  headers: readonly string[];
}

/** The streamed reply to a model call. Events that are due together are one write. */
export class CallStream implements ReplyStream {
  readonly clock: Clock;
  readonly #context: ModelContext;
  readonly #call: OpenCall;
  readonly #played: PlayedReply;
  readonly #playback: Playback;
  readonly #isBuffered: boolean;
  #held = '';
  /** Due instant of the content that is held: of its first token, or of the last one if all are held until the end. */
  #heldDue: Instant | undefined;
  /** End of the last freeze: nothing is due before. */
  #resumedAt: Instant;

  constructor(context: ModelContext, call: OpenCall, played: PlayedReply) {
    this.clock = context.clock;
    this.#context = context;
    this.#call = call;
    this.#resumedAt = call.arrivedAt;
    this.#played = played;
    this.#isBuffered = played.fault?.does === 'buffer';
    this.#playback = new Playback(this, played);
  }

  /** Number of tokens sent. */
  get sent(): number {
    return this.#playback.sent;
  }

  play(firstAt: Instant): void {
    this.#playback.play(firstAt);
  }

  frozenUntil(): Instant | undefined {
    const until = this.#context.frozenUntil();
    if (until !== undefined) {
      this.#call.inject('stall');
      this.#resumedAt = until;
    }
    return until;
  }

  wait(until: Instant, then: () => void): void {
    this.#call.wait(until, then);
  }

  add(events: readonly string[]): void {
    for (const event of events) this.#held += event;
  }

  content(event: string, due: Instant): void {
    this.#held += event;
    if (this.#isBuffered || this.#heldDue === undefined) this.#heldDue = due;
  }

  pause(): void {
    if (this.#isBuffered || this.#held === '') return;
    this.#begin();
    this.#call.response.write(this.#held);
    this.#held = '';
    this.#heldDue = undefined;
  }

  shows({ kind }: PlacedFault): void {
    this.#call.inject(kind ?? 'cut');
  }

  /** The end is reported before the last byte is written. */
  end(events: readonly string[], by: StoppingFault | undefined): void {
    const { response } = this.#call;
    const { socket } = response.req;
    const how = by?.end ?? 'whole';
    this.add(events);
    this.#begin();
    this.#call.end('ok', { status: 200, word: how === 'whole' ? this.#played.word : undefined });
    if (how === 'whole') return void response.end(this.#held);
    // The callback runs after everything was sent.
    response.write(this.#held, () =>
      how === 'reset' ? this.#context.connections.reset(socket) : socket.destroySoon(),
    );
  }

  /** Records the content that is written next. */
  #begin(): void {
    const { response } = this.#call;
    if (!response.headersSent) response.writeHead(200, [...eventHead, ...this.#played.headers]);
    if (this.#heldDue === undefined) return;
    const now = this.clock.now();
    this.#call.content(now);
    this.#call.wrote(now, this.#heldDue < this.#resumedAt ? this.#resumedAt : this.#heldDue);
  }
}

const eventHead = ['content-type', 'text/event-stream; charset=utf-8', 'cache-control', 'no-cache'];
