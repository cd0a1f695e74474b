import { between, type Clock, type Instant } from '../../base/time.ts';
import type { StreamFaultKind } from '../../scenario/embedded-faults.ts';
import type { ServerExchange } from '../exchange/server-exchange.ts';
import type { ServiceContext } from '../exchange/service-context.ts';
import type { EventSink } from '../http/write-delivery.ts';
import type { MadeReply } from './make-reply.ts';
import type { ModelApi } from './model-api.ts';
import type { PlacedFault, StoppingFault } from './place-fault.ts';
import { Playback, type ReplyStream } from './playback.ts';

/** The streamed reply to an exchange: writes its events, one or several at once, and records them in the books. */
export class ExchangeStream implements ReplyStream {
  readonly clock: Clock;
  readonly #exchange: ServerExchange;
  readonly #context: ServiceContext;
  readonly #numbersEvents: boolean;
  readonly #playback: Playback;
  /** Number of events per write. */
  readonly #eventsPerWrite: number;
  #sink: EventSink | undefined;
  #held = '';
  #events = 0;
  #contents = 0;
  #contentAt: Instant | undefined;
  /** Fault to count at the end of the reply. */
  #shown: { does: PlacedFault['does']; kind: StreamFaultKind } | undefined;
  #leftAt: Instant | undefined;
  #contentsAfterLeft = 0;
  #cancel: () => void = () => undefined;
  #done: () => void = () => undefined;
  #failed: (bug: unknown) => void = () => undefined;

  constructor(exchange: ServerExchange, api: ModelApi, made: MadeReply, fault: PlacedFault | undefined) {
    const { context } = exchange;
    this.clock = context.clock;
    this.#exchange = exchange;
    this.#context = context;
    this.#numbersEvents = api.numbersEvents;
    this.#eventsPerWrite = fault?.does === 'buffer' ? Infinity : context.options.stream.flushEvery;
    this.#playback = new Playback(this, { api, made, fault, drawGap: context.drawGap });
  }

  /** Resolves when nothing more is made of the reply. */
  play(firstAt: Instant): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#guarded(() => this.#open(firstAt));
    });
  }

  #open(firstAt: Instant): void {
    const frozenUntil = this.frozenUntil();
    if (frozenUntil !== undefined) return this.wait(frozenUntil, () => this.#open(firstAt));
    this.#sink = this.#exchange.begin(() => this.#leave());
    if (this.#sink === undefined) return this.#done();
    this.#context.streams.begin();
    this.#playback.play(firstAt);
  }

  frozenUntil(): Instant | undefined {
    const until = this.#exchange.frozenUntil();
    if (until !== undefined) this.#exchange.noteStall();
    return until;
  }

  wait(until: Instant, then: () => void): void {
    this.#cancel = this.clock.wakeAt(until, () => this.#guarded(then));
  }

  add(events: readonly string[]): void {
    for (const event of events) this.#write(event);
  }

  content(event: string): void {
    if (this.#leftAt === undefined) this.#contents++;
    else this.#contentsAfterLeft++;
    this.#write(event);
  }

  /** Writes depend on the number of events alone. */
  pause(): void {
    return;
  }

  shows(fault: PlacedFault): void {
    const { kind } = fault;
    if (fault.does === 'stall') this.#exchange.noteStall();
    if (fault.does === 'stall' && kind !== undefined) this.#context.streams.fault(kind);
    else if (kind !== undefined) this.#shown = { does: fault.does, kind };
  }

  /** The end is counted before the last event is sent. */
  end(events: readonly string[], by: StoppingFault | undefined): void {
    const { streams } = this.#context;
    if (this.#leftAt === undefined) {
      if (by === undefined) streams.complete();
      if (this.#shown !== undefined) streams.fault(this.#shown.kind);
      this.#exchange.conclude(by?.outcome ?? (this.#isNoticed() ? 'contract_broken' : 'ok'));
      this.add(events);
      this.#flush();
      this.#sink?.end(by?.end ?? 'whole');
    } else streams.waste(this.#contentsAfterLeft, between(this.#leftAt, this.clock.now()));
    this.#done();
  }

  /** If events have numbers, a client has to notice that an event is missing, repeated or out of order. */
  #isNoticed(): boolean {
    const does = this.#shown?.does;
    return this.#numbersEvents && (does === 'duplicate' || does === 'swap' || does === 'drop');
  }

  #leave(): void {
    this.#context.streams.abandon();
    this.#leftAt = this.clock.now();
    if (this.#context.options.stream.onDisconnect === 'continue') return;
    this.#cancel();
    this.#done();
  }

  #write(event: string): void {
    if (this.#leftAt !== undefined) return;
    this.#held = this.#events === 0 ? event : this.#held + event;
    this.#events++;
    if (this.#events >= this.#eventsPerWrite) this.#flush();
  }

  #flush(): void {
    if (this.#events === 0) return;
    this.#sink?.write(this.#held);
    const now = this.clock.now();
    for (; this.#contents > 0; this.#contents--) this.#record(now);
    this.#events = 0;
    this.#held = '';
  }

  #record(now: Instant): void {
    const { streams } = this.#context;
    if (this.#contentAt === undefined) streams.first(between(this.#exchange.arrivedAt, now));
    else streams.next(between(this.#contentAt, now));
    this.#contentAt = now;
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
