import { later, type Clock, type Instant, type Ms } from '../../base/time.ts';
import type { MadeReply } from './make-reply.ts';
import { pingEvent, type ModelApi, type StreamSerializer } from './model-api.ts';
import type { PlacedFault, StoppingFault } from './place-fault.ts';

/** Destination of the events of one streamed reply. */
export interface ReplyStream {
  readonly clock: Clock;
  /** Returns the end of the freeze that the service is in, if any, which delays this reply. */
  frozenUntil(): Instant | undefined;
  /** Goes on at an instant, unless the reply has ended. */
  wait(until: Instant, then: () => void): void;
  /** Adds events without content. */
  add(events: readonly string[]): void;
  /** Adds a content event. */
  content(event: string, due: Instant): void;
  /** Everything that is due was added. */
  pause(): void;
  /** A fault begins to affect the reply. */
  shows(fault: PlacedFault): void;
  /** Ends the reply with these events, by a fault if there is one. */
  end(events: readonly string[], by: StoppingFault | undefined): void;
}

/** A reply to play. */
interface Played {
  api: ModelApi;
  made: MadeReply;
  fault: PlacedFault | undefined;
  drawGap: () => Ms;
}

/**
 * One streamed reply, from its first event to its end. Every token is due at its own instant, counted from the instant of
 * the token before it, so that a late one delays no other.
 *
 *     opening events    token   token   token   closing events
 *     |------ firstAt --|--gap--|--gap--|
 */
export class Playback {
  readonly #stream: ReplyStream;
  readonly #fault: PlacedFault | undefined;
  readonly #serializer: StreamSerializer;
  readonly #drawGap: () => Ms;
  readonly #reasoning: readonly string[];
  readonly #tokens: readonly string[];
  /** Events before the token of the fault. */
  readonly #inserted: readonly string[];
  /** Indices of tokens at which another call of a tool begins. */
  readonly #begins: ReadonlySet<number>;
  readonly #total: number;
  #sent = 0;
  #due: Instant;
  #hasTurned = false;
  /** The event that another one overtook. */
  #overtaken: string | undefined;
  #hasStalled = false;

  constructor(stream: ReplyStream, { api, made, fault, drawGap }: Played) {
    this.#stream = stream;
    this.#fault = fault;
    this.#serializer = api.stream(made);
    this.#drawGap = drawGap;
    this.#reasoning = made.reasoning;
    this.#tokens = tokensIn(made);
    this.#inserted = insertedBy(fault, api);
    this.#begins = beginsOf(made);
    this.#total = made.reasoning.length + this.#tokens.length;
    this.#due = stream.clock.now();
  }

  /** Number of tokens sent. */
  get sent(): number {
    return this.#sent;
  }

  play(firstAt: Instant): void {
    this.#due = firstAt;
    if (this.#fault?.does === 'buffer') this.#stream.shows(this.#fault);
    this.#stream.add(this.#serializer.opening());
    this.#stream.wait(firstAt, () => this.#sendDue());
  }

  /** Sends the tokens that are due, and waits for the next one. */
  #sendDue(): void {
    const frozenUntil = this.#stream.frozenUntil();
    if (frozenUntil !== undefined) return this.#stream.wait(frozenUntil, () => this.#sendDue());
    const now = this.#stream.clock.now();
    while (this.#sent < this.#total && this.#due <= now) {
      if (this.#meetsFault(now)) return;
      this.#sendNext();
      if (this.#sent < this.#total) this.#due = later(this.#due, this.#drawGap());
    }
    if (this.#sent < this.#total) {
      this.#stream.pause();
      this.#stream.wait(this.#due, () => this.#sendDue());
    } else if (!this.#meetsFault(now)) this.#close();
  }

  #sendNext(): void {
    const index = this.#sent++;
    if (index === this.#reasoning.length) this.#turn();
    if (this.#begins.has(index - this.#reasoning.length)) this.#stream.add(this.#serializer.next());
    const overtaken = this.#overtaken;
    this.#overtaken = undefined;
    if (overtaken !== undefined) return this.#stream.content(overtaken, this.#due);
    const event = this.#eventOf(index);
    const fault = this.#fault;
    // Numbers are assigned before an event is duplicated, reordered or dropped.
    if (fault?.at !== index || fault.does === 'stop' || fault.does === 'stall')
      return this.#stream.content(event, this.#due);
    this.#stream.shows(fault);
    if (fault.does === 'pings' || fault.does === 'foreign') {
      this.#stream.add(this.#inserted);
      return this.#stream.content(event, this.#due);
    }
    if (fault.does === 'duplicate') for (const each of [event, event]) this.#stream.content(each, this.#due);
    if (fault.does !== 'swap') return;
    this.#overtaken = event;
    this.#stream.content(this.#eventOf(index + 1), this.#due);
  }

  #eventOf(index: number): string {
    const thought = this.#reasoning[index];
    return thought === undefined
      ? this.#serializer.answer(this.#tokens[index - this.#reasoning.length] ?? '')
      : this.#serializer.reasoning(thought);
  }

  /** Applies a fault before the next token; returns whether it delays or replaces the token. */
  #meetsFault(now: Instant): boolean {
    const fault = this.#fault;
    if (fault?.at !== this.#sent) return false;
    if (fault.does === 'stop') {
      this.#stream.shows(fault);
      this.#stream.end(fault.problem === undefined ? [] : this.#serializer.failing(fault.problem), fault);
      return true;
    }
    if (fault.does !== 'stall' || this.#hasStalled) return false;
    this.#hasStalled = true;
    this.#stream.shows(fault);
    this.#stream.pause();
    this.#due = later(now, fault.forMs);
    this.#stream.wait(this.#due, () => this.#sendDue());
    return true;
  }

  /** Ends the reasoning, and begins the answer. */
  #turn(): void {
    this.#hasTurned = true;
    this.#stream.add(this.#serializer.turning());
  }

  #close(): void {
    if (!this.#hasTurned) this.#turn();
    const events = this.#serializer.closing();
    if (this.#fault?.does === 'leave_out_done') {
      this.#stream.shows(this.#fault);
      events.pop();
    }
    this.#stream.end(events, undefined);
  }
}

/** Returns all tokens of a reply's answer, those of further calls included. */
export function tokensIn({ tokens, others = [] }: Pick<MadeReply, 'tokens' | 'others'>): readonly string[] {
  return others.length === 0 ? tokens : [...tokens, ...others.flatMap((call) => call.tokens)];
}

function insertedBy(fault: PlacedFault | undefined, api: ModelApi): readonly string[] {
  if (fault?.does === 'pings') return [pingEvent(fault.count)];
  return fault?.does === 'foreign' ? (api.foreign?.() ?? []) : [];
}

const none: ReadonlySet<number> = new Set();

function beginsOf({ tokens, others = [] }: MadeReply): ReadonlySet<number> {
  if (others.length === 0) return none;
  let at = tokens.length;
  return new Set(others.map((call) => (at += call.tokens.length) - call.tokens.length));
}
