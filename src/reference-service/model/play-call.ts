import { later, type Instant, type Ms } from '../../base/time.ts';
import type { MadeReply } from '../model-api/make-reply.ts';
import type { ModelApi, StreamSerializer } from '../model-api/model-api.ts';
import type { PlacedFault, StoppingFault } from '../model-api/place-fault.ts';
import type { ModelContext } from './model-context.ts';
import type { OpenCall } from './open-call.ts';

/** A reply to play. */
export interface PlayedReply {
  api: ModelApi;
  made: MadeReply;
  fault: PlacedFault | undefined;
  /** Unique word of the reply. */
  word: string | undefined;
  drawGap: () => Ms;
  headers: readonly string[];
}

/** Returns all tokens of a reply, those of further calls included. */
export function tokensIn({ tokens, others = [] }: Pick<MadeReply, 'tokens' | 'others'>): readonly string[] {
  return others.length === 0 ? tokens : [...tokens, ...others.flatMap((call) => call.tokens)];
}

/**
 * One streamed reply. Every token is due at its own instant, counted from the instant of the token before it, so that a
 * late one delays no other. Events that are due together are one write.
 */
export class CallPlayback {
  readonly #context: ModelContext;
  readonly #call: OpenCall;
  readonly #played: PlayedReply;
  readonly #fault: PlacedFault | undefined;
  readonly #serializer: StreamSerializer;
  readonly #tokens: readonly string[];
  /** Indices at which another call of a tool begins. */
  readonly #begins: ReadonlySet<number>;
  #sent = 0;
  #due: Instant;
  #held = '';
  /** Due instant of the first content that is held. */
  #heldDue: Instant | undefined;
  #overtaken: string | undefined;
  #hasStalled = false;
  #isOpen = false;

  constructor(context: ModelContext, call: OpenCall, played: PlayedReply) {
    this.#context = context;
    this.#call = call;
    this.#played = played;
    this.#fault = played.fault;
    this.#serializer = played.api.stream(played.made);
    this.#tokens = tokensIn(played.made);
    this.#begins = beginsOf(played.made);
    this.#due = call.arrivedAt;
  }

  /** Number of tokens sent. */
  get sent(): number {
    return this.#sent;
  }

  play(firstAt: Instant): void {
    this.#due = firstAt;
    if (this.#fault?.does === 'buffer') this.#call.inject(this.#fault.kind);
    this.#held = this.#serializer.opening().join('');
    this.#held += this.#serializer.turning().join('');
    this.#call.wait(firstAt, () => this.#sendDue());
  }

  /** Sends the tokens that are due, and waits for the next one. */
  #sendDue(): void {
    if (this.#isFrozen()) return;
    const now = this.#context.clock.now();
    while (this.#sent < this.#tokens.length && this.#due <= now) {
      if (this.#meetsFault(now)) return;
      this.#add(this.#sent++);
      if (this.#sent < this.#tokens.length) this.#due = later(this.#due, this.#played.drawGap());
    }
    if (this.#sent < this.#tokens.length) {
      if (this.#fault?.does !== 'buffer') this.#flush(now);
      this.#call.wait(this.#due, () => this.#sendDue());
    } else if (!this.#meetsFault(now)) this.#close(now);
  }

  #add(index: number): void {
    if (this.#begins.has(index)) this.#held += this.#serializer.next().join('');
    this.#heldDue ??= this.#due;
    const overtaken = this.#overtaken;
    this.#overtaken = undefined;
    this.#held += overtaken ?? this.#eventOf(index);
  }

  /** Serializes a token, and duplicates, reorders or drops its event as the fault requires. Numbers are assigned before that. */
  #eventOf(index: number): string {
    const fault = this.#fault;
    const event = this.#serializer.answer(this.#tokens[index] ?? '');
    if (fault?.at !== index) return event;
    switch (fault.does) {
      case 'duplicate':
        this.#call.inject(fault.kind);
        return event + event;
      case 'drop':
        this.#call.inject(fault.kind);
        return '';
      case 'swap':
        this.#call.inject(fault.kind);
        this.#overtaken = event;
        return this.#serializer.answer(this.#tokens[index + 1] ?? '');
      default:
        return event;
    }
  }

  /** Applies a fault before the next token; returns whether it delays or replaces the token. */
  #meetsFault(now: Instant): boolean {
    const fault = this.#fault;
    if (fault?.at !== this.#sent) return false;
    if (fault.does === 'stop') {
      this.#stop(fault, now);
      return true;
    }
    if (fault.does !== 'stall' || this.#hasStalled) return false;
    this.#hasStalled = true;
    this.#call.inject(fault.kind);
    this.#flush(now);
    this.#due = later(now, fault.forMs);
    this.#call.wait(this.#due, () => this.#sendDue());
    return true;
  }

  #stop({ end, problem, kind }: StoppingFault, now: Instant): void {
    this.#call.inject(kind ?? 'cut');
    if (problem !== undefined) this.#held += this.#serializer.failing(problem).join('');
    if (end === 'whole') return this.#finish(now);
    this.#flush(now);
    const { response } = this.#call;
    const { socket } = response.req;
    this.#call.end('ok', { status: 200 });
    // Nothing is written: the callback runs after everything written before was sent.
    response.write('', () => (end === 'reset' ? this.#context.connections.reset(socket) : socket.destroySoon()));
  }

  #close(now: Instant): void {
    const events = this.#serializer.closing();
    if (this.#fault?.does === 'leave_out_done') {
      this.#call.inject(this.#fault.kind);
      events.pop();
    }
    this.#held += events.join('');
    this.#finish(now);
  }

  /** The end is reported before the last byte is written. */
  #finish(now: Instant): void {
    const { response } = this.#call;
    this.#note(now);
    this.#open();
    this.#call.end('ok', { status: 200, word: this.#played.word });
    response.end(this.#held);
  }

  #flush(now: Instant): void {
    this.#note(now);
    this.#open();
    if (this.#held !== '') this.#call.response.write(this.#held);
    this.#held = '';
    this.#heldDue = undefined;
  }

  /** Records the content that is written next. */
  #note(now: Instant): void {
    if (this.#heldDue === undefined) return;
    this.#call.content(now);
    this.#call.wrote(now, this.#fault?.does === 'buffer' ? this.#due : this.#heldDue);
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#call.response.writeHead(200, [...eventHead, ...this.#played.headers]);
  }

  /** Reports whether the service is frozen; waits for the end of the freeze. */
  #isFrozen(): boolean {
    const until = this.#context.frozenUntil();
    if (until === undefined) return false;
    this.#call.inject('stall');
    if (this.#due < until) this.#due = until;
    this.#call.wait(until, () => this.#sendDue());
    return true;
  }
}

const eventHead = ['content-type', 'text/event-stream; charset=utf-8', 'cache-control', 'no-cache'];
const none: ReadonlySet<number> = new Set();

function beginsOf({ tokens, others = [] }: MadeReply): ReadonlySet<number> {
  if (others.length === 0) return none;
  let at = tokens.length;
  return new Set(others.map((call) => (at += call.tokens.length) - call.tokens.length));
}
