import type { ServerResponse } from 'node:http';
import { between, type Instant } from '../../base/time.ts';
import type { CallOutcome, ModelApiName } from '../../protocol/model-call.ts';
import type { Usage } from '../../protocol/protocol.ts';
import type { Delivery } from '../http/delivery.ts';
import { writeDelivery } from '../http/write-delivery.ts';
import type { ModelContext } from './model-context.ts';
import { tracesOf } from './call-headers.ts';
import type { CallPlace, CallStart } from '../../model-calls/model-observer.ts';

/** Parts of a call that its end reports. */
interface CallResult {
  status: number;
  usage?: Usage | undefined;
  word?: string | undefined;
}

/** Account of a reply that is not streamed. */
interface Sent {
  outcome?: CallOutcome;
  due?: Instant;
  word?: string | undefined;
}

/** A model call from its arrival to its only end, which the observer receives. */
export class OpenCall {
  readonly id: number;
  readonly arrivedAt: Instant;
  readonly api: ModelApiName;
  readonly response: ServerResponse;
  /** Model of the reply; until there is one, as requested. */
  model = '';
  /** Returns the usage so far, once the reply is being made. */
  usage: () => Usage | undefined = () => undefined;
  readonly #context: ModelContext;
  #isStarted = false;
  #isOver = false;
  #fault: string | undefined;
  #firstContentAt: Instant | undefined;
  #latenessMs: number | undefined;
  #cancel: () => void = nothing;
  /** Releases what the call holds, such as its slot. */
  #release: () => void = nothing;

  constructor(context: ModelContext, api: ModelApiName, response: ServerResponse) {
    this.#context = context;
    this.id = ++context.calls;
    this.arrivedAt = context.clock.now();
    this.api = api;
    this.response = response;
    context.open.add(this);
    response.once('close', () => this.end('cancelled', { status: this.#statusSent }));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  start(facts: Omit<CallStart, 'id' | 'arrivedAt' | 'api'>): CallPlace | undefined {
    this.#isStarted = true;
    this.model = facts.model;
    return this.#context.observer.callStarted({ id: this.id, arrivedAt: this.arrivedAt, api: this.api, ...facts });
  }

  /** A fault begins to affect the call, whose outcome is decided by the first one. */
  inject(kind: string): void {
    this.#fault ??= kind;
  }

  /** Records a write that was due at an instant. */
  wrote(now: Instant, due: Instant): void {
    const latenessMs = between(due, now);
    if (this.#latenessMs === undefined || latenessMs > this.#latenessMs) this.#latenessMs = latenessMs;
  }

  /** The first content is written next. */
  content(now: Instant): void {
    this.#firstContentAt ??= now;
  }

  wait(until: Instant, then: () => void): void {
    this.#cancel = this.#context.clock.wakeAt(until, () => this.guard(then));
  }

  /** Holds something that the end of the call releases. */
  hold(release: () => void): void {
    if (this.#isOver) release();
    else this.#release = release;
  }

  /** Sends a reply that is not streamed, as soon as the service is not frozen; the call ends before its last byte. */
  send(delivery: Delivery, { outcome = 'ok', due, word }: Sent = {}): void {
    if (this.#isOver) return;
    const until = this.#context.frozenUntil();
    if (until !== undefined) {
      this.inject('stall');
      return this.wait(until, () => this.send(delivery, { outcome, due: until, word }));
    }
    if (due !== undefined) this.wrote(this.#context.clock.now(), due);
    this.end(outcome, { status: delivery.status, word });
    writeDelivery(delivery, this.response, this.#context.connections);
  }

  /** Ends the call, before its last byte is written; returns false if it has ended. */
  end(outcome: CallOutcome, { status, usage = this.usage(), word }: CallResult): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#cancel();
    this.#context.open.delete(this);
    if (!this.#isStarted) this.start({ ...unread, ...tracesOf(this.response.req.headers, this.#context.options) });
    const injected = this.#fault !== undefined && (outcome === 'ok' || outcome === 'cancelled');
    this.#context.observer.callEnded({
      id: this.id,
      endedAt: this.#context.clock.now(),
      outcome: injected ? 'injected' : outcome,
      fault: injected ? this.#fault : undefined,
      status,
      firstContentAt: this.#firstContentAt,
      usage,
      model: this.model,
      latenessMs: this.#latenessMs,
      word,
    });
    this.#release();
    return true;
  }

  /** Ends a call that the end of the service finds open. */
  abandon(): void {
    this.end('open_at_end', { status: this.#statusSent });
  }

  /** Runs a step of the service: a bug in it ends the call as the fault of the model's side, and the process warns of it. */
  guard(step: () => void): void {
    try {
      step();
    } catch (bug) {
      process.emitWarning(bug instanceof Error ? bug : new Error(String(bug)));
      this.end('upstream_failed', { status: this.#statusSent });
      this.response.destroy();
    }
  }

  get #statusSent(): number {
    return this.response.headersSent ? this.response.statusCode : 0;
  }
}

const nothing = (): void => undefined;

/** Facts of a call whose request was not read to its end. */
const unread: Omit<CallStart, 'id' | 'arrivedAt' | 'api'> = {
  model: '',
  traceId: undefined,
  headerTraceId: undefined,
  userText: '',
  digest: '',
  retryCount: 0,
  blocks: [],
  inputTokens: 0,
};
