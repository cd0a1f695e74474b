import { broken, classOfStatus, jsonIn, refused } from '../classify-whole.ts';
import { describeStatus, quoteText } from '../error-message.ts';
import type { ChatRequest, Listener, Received, SocketLine, StreamEvent, Verdict } from '../protocol.ts';
import { AuthorError, callAuthor, finderOf, scenarioError } from './author-error.ts';
import { DefinedStream } from './defined-stream.ts';
import { streamRules, type StreamRules } from './stream-rules.ts';
import type { ApiDefinition, ListenDefinition, MessageParts } from './definition.ts';
import type { Reach } from './destination.ts';
import { HeldEvent } from './held-event.ts';
import type { ReadError } from './judge-response.ts';
import { eventsRequest, newSocketLine, socketRequest, unopened, type Around } from './listen-request.ts';
import { Greeting, isBlank, refusedByClose, type FrameRules } from './socket-reply.ts';

/** Rules of the streams of sessions, for all conversations with a target. */
export interface ListenRules {
  readonly definition: ListenDefinition;
  readonly events: StreamRules;
  readonly readError: ReadError;
  readonly reach: Reach;
  /** Rules of the frames before a WebSocket is ready; `undefined`: the stream is one of server-sent events. */
  readonly greeting: FrameRules | undefined;
}

export function listenRules(
  definition: ListenDefinition,
  { errors, reach, readError }: Pick<ApiDefinition, 'errors'> & Pick<ListenRules, 'reach' | 'readError'>,
): ListenRules {
  const events = streamRules({ errors }, definition, 'reply.then.listen');
  const greeting = definition.transport === 'websocket' ? greetingRules(definition, { events, readError }) : undefined;
  return { definition, events, readError, reach, greeting };
}

function greetingRules(
  { ready, closeCodes = {} }: ListenDefinition,
  { events, readError }: Pick<ListenRules, 'events' | 'readError'>,
): FrameRules {
  const none = { match: undefined, retryAfter: undefined, sessionId: undefined };
  const found = ready === undefined ? undefined : finderOf('reply.then.listen.ready', ready);
  return { ...events, ...none, ready: found, readError, closeCodes };
}

/** The stream of one session, and the reply to its current attempt. */
export class SessionStream implements Listener {
  changed: () => void = () => undefined;
  isOpen = false;
  hasBeenOpen = false;
  end: Received | undefined;
  readonly #rules: ListenRules;
  readonly #around: () => Around;
  /** Request of the latest stream, unless it was given up. */
  #request: ChatRequest | undefined;
  #isLate = false;
  readonly #line = { close: (): void => undefined };
  #socketLine: SocketLine | undefined;
  #parts: MessageParts | undefined;
  #reply: DefinedStream | undefined;
  /** Events since the message, until its acknowledgement. */
  #held: StreamEvent[] | undefined;
  #acknowledgement: unknown;
  /** Verdict on the attempt, unless the reply decides. */
  #problem: Verdict | undefined;

  constructor(rules: ListenRules, around: () => Around) {
    this.#rules = rules;
    this.#around = around;
  }

  get isOpening(): boolean {
    return this.#request !== undefined && !this.isOpen && this.end === undefined;
  }

  get mayBeLate(): boolean {
    return this.#rules.greeting === undefined;
  }

  get isLate(): boolean {
    return this.#isLate;
  }

  get isOver(): boolean {
    return this.#problem !== undefined || this.#reply?.hasEnded === true || this.#reply?.hasFailed === true;
  }

  open(): ChatRequest {
    this.#request = this.#opening();
    return this.#request;
  }

  #opening(): ChatRequest {
    const { definition, reach, greeting } = this.#rules;
    this.end = undefined;
    const around = this.#around();
    const [line, recipient] = [
      this.#line,
      { begun: () => this.#begun(), take: (event: StreamEvent) => this.#take(event) },
    ];
    try {
      if (greeting === undefined) return eventsRequest({ definition, reach }, around, { line, recipient });
      const socketLine = (this.#socketLine ??= newSocketLine(definition, around.observer));
      return socketRequest({ definition, reach, greeting }, around, { line, socketLine, recipient });
    } catch (thrown) {
      throw thrown instanceof AuthorError ? scenarioError(thrown) : thrown;
    }
  }

  closed(received: Received, request: ChatRequest): void {
    if (request !== this.#request) return;
    const wasOpen = this.isOpen;
    this.isOpen = false;
    this.end = received;
    if (!wasOpen && this.#reply !== undefined && received.failure === undefined)
      this.#problem ??= orBroken(() => this.#refuse(received.status, received.body));
    this.changed();
  }

  close(): void {
    const link = this.#socketLine?.link;
    if (link === undefined) this.#line.close();
    else link.close();
  }

  giveUp(): void {
    this.#request = undefined;
    this.close();
  }

  /** Notes the parts of the message of the next attempts. */
  sends(parts: MessageParts): void {
    this.#parts = parts;
  }

  begin(): void {
    this.#reply = new DefinedStream(this.#rules.events);
    this.#held = [];
    this.#problem = undefined;
    this.#isLate = !this.isOpen;
  }

  acknowledged({ status, body: text }: Received): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#acknowledgement = jsonIn(text);
    this.#problem = orBroken(() => this.#refuse(status, text)) ?? this.#problem;
    for (const event of held) this.#take(event);
  }

  /** Returns the verdict on an attempt, and the session id in its reply. */
  conclude(received: Received): { verdict: Verdict; sessionId: string | undefined } {
    const [reply, problem] = [this.#reply, this.#problem];
    this.#reply = undefined;
    this.#problem = undefined;
    this.#held = undefined;
    return { verdict: this.#noting(this.#judge(received, reply, problem)), sessionId: reply?.sessionId };
  }

  #noting(verdict: Verdict): Verdict {
    const { reply } = verdict;
    if (reply === undefined || !this.#isLate) return verdict;
    return { ...verdict, reply: { ...reply, notes: [...(reply.notes ?? []), { rule: 'late_head', detail: '' }] } };
  }

  #judge(received: Received, reply: DefinedStream | undefined, problem: Verdict | undefined): Verdict {
    const { failure, detail, closeCode, status, body, stream } = received;
    if (failure !== undefined) return refused(failure, detail);
    if (stream instanceof Greeting) return stream.conclude(received);
    if (problem !== undefined) return problem;
    if (closeCode !== undefined) {
      const closeCodes = this.#rules.greeting?.closeCodes ?? {};
      return refusedByClose(closeCode, detail, {
        at: closeCodesName,
        closeCodes,
        hasContent: (reply?.text ?? '') !== '',
      });
    }
    if (reply !== undefined) return reply.conclude({ ...received, status: 200, isUtf8: true });
    // Without a reply, the stream itself was refused.
    return orBroken(() => this.#refuse(status, body)) ?? broken(unopened);
  }

  #begun(): void {
    this.isOpen = true;
    this.hasBeenOpen = this.#rules.greeting !== undefined;
    this.changed();
  }

  #take(event: StreamEvent): void {
    // Services send empty frames to keep a socket open.
    if (this.#rules.greeting !== undefined && isBlank(event)) return;
    if (this.#held !== undefined) this.#held.push(new HeldEvent(event));
    else if (this.#reply !== undefined && !this.isOver && this.#matches(event)) {
      this.#reply.take(event);
      this.#notify();
    }
  }

  #notify(): void {
    if (this.isOver) this.changed();
  }

  #matches(event: StreamEvent): boolean {
    const { match } = this.#rules.definition;
    const parts = this.#parts;
    if (parts === undefined) return false;
    const text = event.text();
    const data = jsonIn(text);
    if (data === undefined && this.#rules.greeting !== undefined)
      return this.#fail(refused('malformed', `a frame that is not JSON${quoteText(text)}`));
    const [acknowledgement, type] = [this.#acknowledgement, event.type];
    // Comments of the service: keep-alives, greetings.
    if (data === undefined && type !== this.#rules.events.endType) return false;
    try {
      return callAuthor(matchName, () => match(data, { ...parts, acknowledgement, type })) === true;
    } catch (thrown) {
      if (!(thrown instanceof AuthorError)) throw thrown;
      return this.#fail(broken(thrown.message));
    }
  }

  #fail(problem: Verdict): false {
    this.#problem = problem;
    this.changed();
    return false;
  }

  /** Returns the verdict on an error status, or on an error that the definition recognizes. */
  #refuse(status: number, text: string): Verdict | undefined {
    const body = jsonIn(text);
    const error = this.#rules.readError(status, body);
    if (error === undefined && status >= 200 && status <= 299) return undefined;
    return refused(error ?? classOfStatus(status), describeStatus(status, body, text));
  }
}

function orBroken(judge: () => Verdict | undefined): Verdict | undefined {
  try {
    return judge();
  } catch (thrown) {
    if (thrown instanceof AuthorError) return broken(thrown.message);
    throw thrown;
  }
}

const matchName = 'reply.then.listen.match';
const closeCodesName = 'reply.then.listen.closeCodes';
