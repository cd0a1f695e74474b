import { between, later, type Instant } from '../../base/time.ts';
import type { MadeReply } from './make-reply.ts';
import type { ModelApi, Telling } from './model-api.ts';
import type { StreamEnd } from '../http/write-delivery.ts';
import type { ServerExchange } from '../exchange/server-exchange.ts';
import type { ServiceClass } from '../books/service-class.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import { EventWriter } from './event-writer.ts';
import { PieceTeller } from './piece-teller.ts';
import type { PlacedFault, StoppingFault } from './place-fault.ts';

interface Played {
  room: ServiceContext;
  exchange: ServerExchange;
  api: ModelApi;
  made: MadeReply;
  fault: PlacedFault | undefined;
}

/**
 * One reply in pieces, from its first event to its end. Every piece is due at an instant of its own, counted from that
 * of the piece before it, so that a late one delays no other.
 *
 *     opening events    piece   piece   piece   closing events
 *     |------ firstAt --|--gap--|--gap--|
 */
export class Playback {
  readonly #played: Played;
  readonly #telling: Telling;
  readonly #pieces: PieceTeller;
  readonly #total: number;
  #writer: EventWriter | undefined;
  #told = 0;
  #due: Instant;
  #hasStalled = false;
  #leftAt: Instant | undefined;
  #toldUnheard = 0;
  #cancel: () => void = () => undefined;
  #done: () => void = () => undefined;
  #failed: (bug: unknown) => void = () => undefined;

  constructor(played: Played) {
    const { api, made, fault, exchange } = played;
    this.#played = played;
    this.#telling = api.tell(made);
    this.#pieces = new PieceTeller(this.#telling, made, fault);
    this.#due = exchange.arrivedAt;
    this.#total = made.reasoning.length + made.pieces.length;
  }

  /** Resolves when nothing more is made of the reply. */
  play(firstAt: Instant): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#due = firstAt;
      this.#guarded(() => this.#open());
    });
  }

  #open(): void {
    const { room, exchange, fault } = this.#played;
    const frozenUntil = exchange.frozenUntil();
    if (frozenUntil !== undefined) return this.#freeze(frozenUntil, () => this.#open());
    const sink = exchange.begin(() => this.#leave());
    if (sink === undefined) return this.#done();
    room.streams.begin();
    this.#writer = new EventWriter(sink, room, { arrivedAt: exchange.arrivedAt, isBuffered: fault?.does === 'buffer' });
    for (const event of this.#telling.opening()) this.#writer.other(event);
    this.#wait(this.#due, () => this.#tellDue());
  }

  /** Sends the pieces that are due, and waits for the next one. */
  #tellDue(): void {
    const { room, exchange } = this.#played;
    const frozenUntil = exchange.frozenUntil();
    if (frozenUntil !== undefined) return this.#freeze(frozenUntil, () => this.#tellDue());
    const now = room.clock.now();
    while (this.#told < this.#total && this.#due <= now) {
      if (this.#meetsFault()) return;
      this.#tell();
      if (this.#told < this.#total) this.#due = later(this.#due, room.drawGap());
    }
    if (this.#told < this.#total) this.#wait(this.#due, () => this.#tellDue());
    else if (!this.#meetsFault()) this.#close();
  }

  #tell(): void {
    const { before, contents } = this.#pieces.tell(this.#told++);
    for (const event of before) this.#writer?.other(event);
    if (this.#leftAt !== undefined) this.#toldUnheard++;
    else for (const event of contents) this.#writer?.content(event);
  }

  /** Whether the next piece is not to come now. */
  #meetsFault(): boolean {
    const { room, exchange, fault } = this.#played;
    if (fault?.at !== this.#told) return false;
    if (fault.does === 'stop') {
      this.#stop(fault);
      return true;
    }
    if (fault.does !== 'stall' || this.#hasStalled) return false;
    this.#hasStalled = true;
    room.streams.spoil(fault.kind);
    exchange.noteStall();
    this.#due = later(room.clock.now(), fault.forMs);
    this.#wait(this.#due, () => this.#tellDue());
    return true;
  }

  #stop({ outcome, end, problem, kind }: StoppingFault): void {
    if (this.#leftAt === undefined && kind !== undefined) this.#played.room.streams.spoil(kind);
    this.#end(outcome, problem === undefined ? [] : this.#telling.failing(problem), end);
  }

  #close(): void {
    const { room, fault } = this.#played;
    const events = this.#telling.closing();
    if (this.#leftAt === undefined) {
      room.streams.complete();
      if (fault !== undefined && fault.does !== 'stop' && fault.does !== 'stall') room.streams.spoil(fault.kind);
    }
    this.#end(this.#classAtEnd(), fault?.does === 'leave_out_done' ? events.slice(0, -1) : events, 'whole');
  }

  /** Where events have numbers, a client has to see that the pieces are not those that were sent. */
  #classAtEnd(): ServiceClass {
    const { api, fault } = this.#played;
    const isSpoilt = fault?.does === 'duplicate' || fault?.does === 'swap' || fault?.does === 'drop';
    return isSpoilt && api.numbersEvents ? 'contract_broken' : 'ok';
  }

  /** Counted before the last event leaves. */
  #end(outcome: ServiceClass, events: readonly string[], end: StreamEnd): void {
    const { room, exchange } = this.#played;
    if (this.#leftAt === undefined) {
      exchange.conclude(outcome);
      for (const event of events) this.#writer?.other(event);
      this.#writer?.end(end);
    } else room.streams.waste(this.#toldUnheard, between(this.#leftAt, room.clock.now()));
    this.#done();
  }

  #leave(): void {
    const { room } = this.#played;
    room.streams.abandon();
    this.#writer?.forget();
    this.#leftAt = room.clock.now();
    if (room.options.stream.onDisconnect === 'continue') return;
    this.#cancel();
    this.#done();
  }

  #freeze(until: Instant, then: () => void): void {
    this.#played.exchange.noteStall();
    this.#wait(until, then);
  }

  #wait(until: Instant, then: () => void): void {
    this.#cancel = this.#played.room.clock.wakeAt(until, () => this.#guarded(then));
  }

  /** A bug is the exchange's to report. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (bug) {
      this.#failed(bug);
    }
  }
}
