import { between, later, type Instant } from '../../base/time.ts';
import type { MadeReply } from './make-reply.ts';
import type { ModelApi, StreamSerializer } from './model-api.ts';
import type { StreamEnd } from '../http/write-delivery.ts';
import type { ServerExchange } from '../exchange/server-exchange.ts';
import type { ServiceClass } from '../books/service-class.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import { EventWriter } from './event-writer.ts';
import type { PlacedFault, StoppingFault } from './place-fault.ts';

/**
 * One streamed reply, from its first event to its end. Every token is due at its own instant, counted from the instant of
 * the token before it, so that a late one delays no other.
 *
 *     opening events    token   token   token   closing events
 *     |------ firstAt --|--gap--|--gap--|
 */
export class Playback {
  readonly #exchange: ServerExchange;
  readonly #context: ServiceContext;
  readonly #api: ModelApi;
  readonly #made: MadeReply;
  readonly #fault: PlacedFault | undefined;
  readonly #serializer: StreamSerializer;
  readonly #total: number;
  #writer: EventWriter | undefined;
  #sent = 0;
  #due: Instant;
  /** The event that another one overtook. */
  #overtaken: string | undefined;
  #hasStalled = false;
  #leftAt: Instant | undefined;
  #sentAfterLeft = 0;
  #cancel: () => void = () => undefined;
  #done: () => void = () => undefined;
  #failed: (bug: unknown) => void = () => undefined;

  constructor(exchange: ServerExchange, api: ModelApi, made: MadeReply, fault: PlacedFault | undefined) {
    this.#exchange = exchange;
    this.#context = exchange.context;
    this.#api = api;
    this.#made = made;
    this.#fault = fault;
    this.#serializer = api.stream(made);
    this.#due = exchange.arrivedAt;
    this.#total = made.reasoning.length + made.tokens.length;
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
    const { streams, options } = this.#context;
    if (this.#isFrozen(() => this.#open())) return;
    const sink = this.#exchange.begin(() => this.#leave());
    if (sink === undefined) return this.#done();
    streams.begin();
    const flushEvery = this.#fault?.does === 'buffer' ? Infinity : options.stream.flushEvery;
    this.#writer = new EventWriter(sink, this.#exchange, flushEvery);
    this.#write(this.#serializer.opening());
    this.#wait(this.#due, () => this.#sendDue());
  }

  /** Sends the tokens that are due, and waits for the next one. */
  #sendDue(): void {
    if (this.#isFrozen(() => this.#sendDue())) return;
    const now = this.#context.clock.now();
    while (this.#sent < this.#total && this.#due <= now) {
      if (this.#meetsFault()) return;
      this.#sendNext();
      if (this.#sent < this.#total) this.#due = later(this.#due, this.#context.drawGap());
    }
    if (this.#sent < this.#total) this.#wait(this.#due, () => this.#sendDue());
    else if (!this.#meetsFault()) this.#close();
  }

  #sendNext(): void {
    const index = this.#sent++;
    if (index === this.#made.reasoning.length) this.#write(this.#serializer.turning());
    const contents = this.#contents(index);
    if (this.#leftAt !== undefined) this.#sentAfterLeft++;
    else for (const event of contents) this.#writer?.content(event);
  }

  /** Serializes a token, and duplicates, reorders or drops its event as the fault requires. Numbers are assigned before that. */
  #contents(index: number): string[] {
    const overtaken = this.#overtaken;
    this.#overtaken = undefined;
    if (overtaken !== undefined) return [overtaken];
    const event = this.#eventOf(index);
    if (this.#fault?.at !== index) return [event];
    switch (this.#fault.does) {
      case 'duplicate':
        return [event, event];
      case 'drop':
        return [];
      case 'swap':
        this.#overtaken = event;
        return [this.#eventOf(index + 1)];
      default:
        return [event];
    }
  }

  #eventOf(index: number): string {
    const { reasoning, tokens } = this.#made;
    const thought = reasoning[index];
    return thought === undefined
      ? this.#serializer.answer(tokens[index - reasoning.length] ?? '')
      : this.#serializer.reasoning(thought);
  }

  /** Applies a fault before the next token; returns whether it delays or replaces the token. */
  #meetsFault(): boolean {
    const fault = this.#fault;
    if (fault?.at !== this.#sent) return false;
    if (fault.does === 'stop') {
      this.#stop(fault);
      return true;
    }
    if (fault.does !== 'stall' || this.#hasStalled) return false;
    this.#hasStalled = true;
    this.#context.streams.fault(fault.kind);
    this.#exchange.noteStall();
    this.#due = later(this.#context.clock.now(), fault.forMs);
    this.#wait(this.#due, () => this.#sendDue());
    return true;
  }

  #stop({ outcome, end, problem, kind }: StoppingFault): void {
    if (this.#leftAt === undefined && kind !== undefined) this.#context.streams.fault(kind);
    this.#end(outcome, problem === undefined ? [] : this.#serializer.failing(problem), end);
  }

  #close(): void {
    const fault = this.#fault;
    const events = this.#serializer.closing();
    if (this.#leftAt === undefined) {
      this.#context.streams.complete();
      if (fault !== undefined && fault.does !== 'stop' && fault.does !== 'stall')
        this.#context.streams.fault(fault.kind);
    }
    // If events have numbers, a client has to notice that an event is missing, repeated or out of order.
    const isNoticed =
      this.#api.numbersEvents && (fault?.does === 'duplicate' || fault?.does === 'swap' || fault?.does === 'drop');
    const sent = fault?.does === 'leave_out_done' ? events.slice(0, -1) : events;
    this.#end(isNoticed ? 'contract_broken' : 'ok', sent, 'whole');
  }

  /** The end is counted before the last event is sent. */
  #end(outcome: ServiceClass, events: readonly string[], end: StreamEnd): void {
    if (this.#leftAt === undefined) {
      this.#exchange.conclude(outcome);
      this.#write(events);
      this.#writer?.end(end);
    } else this.#context.streams.waste(this.#sentAfterLeft, between(this.#leftAt, this.#context.clock.now()));
    this.#done();
  }

  #leave(): void {
    const { streams, clock, options } = this.#context;
    streams.abandon();
    this.#writer?.disconnect();
    this.#leftAt = clock.now();
    if (options.stream.onDisconnect === 'continue') return;
    this.#cancel();
    this.#done();
  }

  #write(events: readonly string[]): void {
    for (const event of events) this.#writer?.other(event);
  }

  /** Reports whether the service is frozen; `then` is run at the end of the freeze. */
  #isFrozen(then: () => void): boolean {
    const until = this.#exchange.frozenUntil();
    if (until === undefined) return false;
    this.#exchange.noteStall();
    this.#wait(until, then);
    return true;
  }

  #wait(until: Instant, then: () => void): void {
    this.#cancel = this.#context.clock.wakeAt(until, () => this.#guarded(then));
  }

  /** The exchange reports a bug. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (bug) {
      this.#failed(bug);
    }
  }
}
