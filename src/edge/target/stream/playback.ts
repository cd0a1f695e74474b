import { between, later, type Instant } from '../../../base/time.ts';
import type { FaultEffect } from '../../../scenario/embedded-faults.ts';
import type { MadeReply } from '../api/make-reply.ts';
import type { ServerExchange } from '../server-exchange.ts';
import type { ServiceContext } from '../service-context.ts';
import { EventWriter } from './event-writer.ts';
import type { Telling } from './telling.ts';

interface Played {
  room: ServiceContext;
  exchange: ServerExchange;
  effect: FaultEffect | undefined;
  made: MadeReply;
  telling: Telling;
}

/**
 * One reply in pieces, from its first event to its end. Every piece is due at an instant of its own, counted from that
 * of the piece before it, so that a late one delays no other.
 */
export class Playback {
  readonly #played: Played;
  readonly #total: number;
  #writer: EventWriter | undefined;
  #told = 0;
  #due: Instant;
  #leftAt: Instant | undefined;
  #toldUnheard = 0;
  #cancel: () => void = () => undefined;
  #done: () => void = () => undefined;
  #failed: (bug: unknown) => void = () => undefined;

  constructor(played: Played) {
    this.#played = played;
    this.#due = played.exchange.arrivedAt;
    this.#total = played.made.reasoning.length + played.made.pieces.length;
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
    const { room, exchange, telling } = this.#played;
    const frozenUntil = exchange.frozenUntil();
    if (frozenUntil !== undefined) return this.#wait(frozenUntil, () => this.#open());
    const sink = exchange.begin(() => this.#leave());
    if (sink === undefined) return this.#done();
    room.streams.begin();
    this.#writer = new EventWriter(sink, room, { arrivedAt: exchange.arrivedAt, isBuffered: false });
    for (const event of telling.opening()) this.#writer.other(event);
    this.#wait(this.#due, () => this.#tellDue());
  }

  /** Sends the pieces that are due, and waits for the next one. */
  #tellDue(): void {
    const { room, exchange } = this.#played;
    const frozenUntil = exchange.frozenUntil();
    if (frozenUntil !== undefined) return this.#wait(frozenUntil, () => this.#tellDue());
    const now = room.clock.now();
    while (this.#told < this.#total && this.#due <= now) {
      this.#tell(this.#told++);
      if (this.#told < this.#total) this.#due = later(this.#due, room.drawGap());
    }
    if (this.#told === this.#total) this.#close();
    else this.#wait(this.#due, () => this.#tellDue());
  }

  #tell(index: number): void {
    const { telling, made } = this.#played;
    const { reasoning, pieces } = made;
    if (index === reasoning.length) for (const event of telling.turning()) this.#writer?.other(event);
    const thought = reasoning[index];
    const event =
      thought === undefined ? telling.answer(pieces[index - reasoning.length] ?? '') : telling.reasoning(thought);
    if (this.#leftAt === undefined) this.#writer?.content(event);
    else this.#toldUnheard++;
  }

  /** Counted before the last event leaves. */
  #close(): void {
    const { room, exchange, telling } = this.#played;
    if (this.#leftAt === undefined) {
      exchange.conclude('ok');
      room.streams.complete();
      for (const event of telling.closing()) this.#writer?.other(event);
      this.#writer?.end('whole');
    } else room.streams.waste(this.#toldUnheard, between(this.#leftAt, room.clock.now()));
    this.#done();
  }

  #leave(): void {
    const { room } = this.#played;
    room.streams.abandon();
    this.#writer?.forget();
    this.#leftAt = room.clock.now();
    if (room.options.stream.onLeave === 'continue') return;
    this.#cancel();
    this.#done();
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
