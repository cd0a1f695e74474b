import type { Instant, Ms } from '../../../base/time.ts';
import type { ExchangeFailure } from '../../../protocol/outcome.ts';
import type { ChatRequest, Dialogue, FrameReader, SocketExchange, StreamEvent } from '../../../protocol/protocol.ts';
import type { Exchange } from '../../../session/send.ts';
import { DueEntry } from '../exchange/deadline-queue.ts';
import { blankExchange } from '../response/exchange-reading.ts';
import { ReadEvent } from '../stream/read-event.ts';
import { TimedReply } from '../stream/timed-reply.ts';

/** The socket that carries an attempt. */
export interface SocketCarrier {
  /** Step of the opening, in a message. */
  readonly progress: string;
  fail(failure: ExchangeFailure, detail: string): void;
}

/** The sender, as its sockets report to it. */
export interface SocketPool<Socket> {
  connected(socket: Socket): void;
  receivedContent(attempt: SocketAttempt, now: Instant): void;
  ended(attempt: SocketAttempt): void;
  socketClosed(socket: Socket): void;
}

/** Start of one exchange over a socket. `resolve` is called once, with an exchange that no longer changes. */
export interface SocketStart {
  request: ChatRequest & { readonly socket: SocketExchange };
  sentAt: Instant;
  resolve: (exchange: Exchange) => void;
}

/**
 * One exchange over the socket of a session: its opening up to the end of the greeting, a turn, or both.
 *
 *     greeting (only on a new socket) -> turn (none for a creation) -> over
 */
export class SocketAttempt {
  readonly entry = new DueEntry<SocketAttempt>(this);
  leavingEntry: DueEntry<SocketAttempt> | undefined;
  stallEntry: DueEntry<SocketAttempt> | undefined;
  readonly exchange: Exchange;
  readonly #start: SocketStart;
  readonly #frame = new ReadEvent();
  #carrier: SocketCarrier | undefined;
  #dialogue: Dialogue | undefined;
  #timed: TimedReply<FrameReader> | undefined;
  /** Number of frames of the current answer. */
  #frames = 0;
  #isTurn = false;

  constructor(start: SocketStart, isKept: boolean) {
    this.#start = start;
    this.exchange = { ...blankExchange(start.sentAt, isKept), hasSentFrames: false, isReopened: false };
  }

  get request(): SocketStart['request'] {
    return this.#start.request;
  }

  get reader(): FrameReader | undefined {
    return this.#dialogue?.reader;
  }

  get dialogue(): Dialogue | undefined {
    return this.#dialogue;
  }

  get hasReplyEnded(): boolean {
    return this.reader?.hasEnded ?? false;
  }

  get progress(): string {
    if (this.#dialogue === undefined) return this.#carrier?.progress ?? 'while connecting';
    const what = !this.#isTurn ? 'the greeting' : this.request.line === undefined ? 'the reply' : 'the session';
    return this.#frames === 0 ? `before the first frame of ${what}` : `after ${countOf(this.#frames)} of ${what}`;
  }

  carriedBy(carrier: SocketCarrier): void {
    this.#carrier = carrier;
  }

  fail(failure: ExchangeFailure, detail: string): void {
    this.#carrier?.fail(failure, detail);
  }

  /** Begins the greeting of a new socket. Returns its frames. */
  greet(now: Instant): readonly string[] {
    return this.#begin(this.request.socket.greet(), now);
  }

  /** Begins the turn. Returns its frames; `undefined`: a creation has none. */
  begin(connectMs: Ms | undefined, now: Instant): readonly string[] | undefined {
    const { socket, fields = '' } = this.request;
    const isReopened = connectMs !== undefined;
    if (isReopened) this.exchange.connectMs = connectMs;
    this.exchange.firstByteAt = undefined;
    if (socket.begin === undefined) return undefined;
    this.exchange.isReopened = isReopened;
    this.#isTurn = true;
    const traceparent = /^traceparent: (.*)\r$/im.exec(fields)?.[1] ?? '';
    return this.#begin(socket.begin({ isReopened, traceparent }), now);
  }

  beginRead(now: Instant): void {
    this.#timed?.beginRead(now);
  }

  /** Takes a frame. Returns the number of its content events; `foreign`: it is part of another answer. */
  take(bytes: Buffer, now: Instant): number | 'foreign' {
    const timed = this.#timed;
    const frame = this.#frame.over(bytes);
    if (timed === undefined || !timed.reply.accepts(frame)) return 'foreign';
    this.exchange.firstByteAt ??= now;
    this.#frames++;
    const before = timed.newEvents;
    timed.event(frame);
    return timed.newEvents - before;
  }

  /** Ends the exchange; the received part of its answer is kept. */
  end(now: Instant): void {
    const { exchange } = this;
    exchange.endedAt = now;
    exchange.stream = this.reader;
    exchange.content = this.#timed?.content;
    exchange.isUtf8 = this.#frame.isUtf8;
    exchange.retryAfter ??= this.reader?.retryAfter;
    exchange.waits ??= this.reader?.waits;
    this.#start.resolve(exchange);
  }

  #begin(dialogue: Dialogue, now: Instant): readonly string[] {
    this.#dialogue = dialogue;
    this.#timed = new TimedReply(dialogue.reader, now);
    this.#frames = 0;
    return dialogue.frames;
  }
}

const countOf = (frames: number): string => (frames === 1 ? '1 frame' : `${String(frames)} frames`);

/** Returns a frame as an event, to be read once. */
export function frameOf(bytes: Buffer): StreamEvent {
  return new ReadEvent().over(bytes);
}
