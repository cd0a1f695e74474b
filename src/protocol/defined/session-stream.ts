import { broken, classOfStatus, jsonIn, refused } from '../classify-whole.ts';
import { describeStatus } from '../error-message.ts';
import type { ChatRequest, HeaderFields, Listener, Received, ReplyStream, StreamEvent, Verdict } from '../protocol.ts';
import { AuthorError, callAuthor, scenarioError } from './author-error.ts';
import { DefinedStream, streamRules, type StreamRules } from './defined-stream.ts';
import type { ApiDefinition, ListenDefinition, ListenParts, MessageParts } from './definition.ts';
import { keepCredentials } from './header-fields.ts';
import { HeldEvent } from './held-event.ts';
import type { ReadError } from './judge-response.ts';
import { readRequest } from './poll-request.ts';

/** Rules of the streams of sessions, for all conversations with a target. */
export interface ListenRules {
  readonly definition: ListenDefinition;
  readonly events: StreamRules;
  readonly readError: ReadError;
  readonly baseUrl: string | null;
}

export function listenRules(
  definition: ListenDefinition,
  { errors, baseUrl, readError }: Pick<ApiDefinition, 'errors'> & Pick<ListenRules, 'baseUrl' | 'readError'>,
): ListenRules {
  return { definition, events: streamRules({ errors }, definition, 'reply.then.listen'), readError, baseUrl };
}

/** The parts and the usual header fields of the request of a stream, and the recipient of the secrets in it. */
interface Around {
  readonly parts: ListenParts;
  readonly usual: HeaderFields;
  readonly keepSecret: (secret: string) => void;
}

/** The stream of one session, and the reply to its current attempt. */
export class SessionStream implements Listener {
  changed: () => void = () => undefined;
  isOpen = false;
  end: Received | undefined;
  readonly #rules: ListenRules;
  readonly #around: () => Around;
  readonly #line = { close: (): void => undefined };
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

  get isOver(): boolean {
    return this.#problem !== undefined || this.#reply?.hasEnded === true || this.#reply?.hasFailed === true;
  }

  open(): ChatRequest {
    const { definition, baseUrl } = this.#rules;
    this.end = undefined;
    try {
      const { parts, usual, keepSecret } = this.#around();
      const made = callAuthor(connectName, () => definition.connect(parts));
      const { body, ...to } = readRequest(connectName, made, { parts, usual: { ...usual, ...accept }, baseUrl });
      keepCredentials(to.headers, keepSecret);
      const passesEmpty = typeof definition.end === 'object' ? true : undefined;
      const stream = { framing: 'sse', isStated: true, passesEmpty, begin: () => this.#begun() } as const;
      return { route: { operation: 'message', ...to, stream }, body, line: this.#line };
    } catch (thrown) {
      throw thrown instanceof AuthorError ? scenarioError(thrown) : thrown;
    }
  }

  closed(received: Received): void {
    this.isOpen = false;
    this.end = received;
    this.changed();
  }

  /** Ends the stream with its session. */
  close(): void {
    this.#line.close();
  }

  /** Notes the parts of the message of the next attempts. */
  sends(parts: MessageParts): void {
    this.#parts = parts;
  }

  begin(): void {
    this.#reply = new DefinedStream(this.#rules.events);
    this.#held = [];
    this.#problem = undefined;
  }

  acknowledged({ status, body: text }: Received): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.#acknowledgement = jsonIn(text);
    this.#problem = orBroken(() => this.#refuse(status, text));
    for (const event of held) this.#take(event);
  }

  /** Returns the verdict on an attempt, and the session id in its reply. */
  conclude(received: Received): { verdict: Verdict; sessionId: string | undefined } {
    const { failure, detail, status, body } = received;
    const [reply, problem] = [this.#reply, this.#problem];
    this.#reply = undefined;
    this.#problem = undefined;
    this.#held = undefined;
    const sessionId = reply?.sessionId;
    if (failure !== undefined) return { verdict: refused(failure, detail), sessionId };
    // Without a reply, the stream itself was refused.
    const refusal = problem ?? (reply === undefined ? orBroken(() => this.#refuse(status, body)) : undefined);
    if (refusal !== undefined || reply === undefined) return { verdict: refusal ?? broken(unopened), sessionId };
    return { verdict: reply.conclude({ ...received, status: 200, isUtf8: true }), sessionId };
  }

  #begun(): ReplyStream {
    this.isOpen = true;
    this.changed();
    return {
      text: '',
      hasEnded: false,
      take: (event) => {
        this.#take(event);
        return 'other';
      },
      conclude: () => broken(unopened),
    };
  }

  #take(event: StreamEvent): void {
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
    const data = jsonIn(event.text());
    const [acknowledgement, type] = [this.#acknowledgement, event.type];
    try {
      return callAuthor(matchName, () => match(data, { ...parts, acknowledgement, type })) === true;
    } catch (thrown) {
      if (!(thrown instanceof AuthorError)) throw thrown;
      this.#problem = broken(thrown.message);
      this.changed();
      return false;
    }
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

const connectName = 'reply.then.listen.connect';
const matchName = 'reply.then.listen.match';
const accept: HeaderFields = { Accept: 'text/event-stream' };
const unopened = 'the stream of the session was not opened: check reply.then.listen.connect';
