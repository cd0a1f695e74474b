import { randomUUID } from 'node:crypto';
import { questions } from '../protocol/chat-messaging/questions.ts';
import type { ChatApi, ChatRequest, Conversation, OwnSession, Reply, Route, Verdict } from '../protocol/protocol.ts';
import { unobserved } from '../protocol/socket-api.ts';
import { holds, isAnswered, isTransient, type Fields } from './answer.ts';
import { acceptKey, Exchanges, type Answer, type KeyUsed, type TalkEffects } from './exchanges.ts';
import { readAnswer } from './read-answer.ts';
import { Skipped } from './rule.ts';
import { readEvent, type IsEnd, type StreamEvent } from './stream-event.ts';
import type { Subject } from './subject.ts';
import { watchSocket } from './watch-socket.ts';

/** Properties of raw responses, and their words. */
export interface Wire {
  /** Describes a response. */
  describe: (answer: Answer) => string;
  /** Nouns of the descriptions of the API. */
  nouns: { readonly partner: 'agent' | 'model'; readonly session: 'conversation' | 'session' };
  /** Reports whether clients should retry. Default: by the status. */
  isTransient?: (answer: Answer) => boolean;
  /** Recognizes the event at the end of a reply over WebSocket; omitted over HTTP. */
  isEnd?: IsEnd | undefined;
}

/** A request, its response, and the verdict that a run would have. */
interface Judged {
  answer: Answer;
  verdict: Verdict;
}

/** A session, or the refusal of its creation. `created` is missing if the protocol creates none. */
type Begun =
  | { conversation: Conversation; created: Judged | undefined }
  | { conversation: undefined; created: Judged; api: ChatApi };

/** A message, its response, and the verdict. */
export interface Said extends Judged {
  conversation: Conversation;
  events: readonly StreamEvent[];
}

/** A message that asks for a word. */
export interface Asked extends Said {
  /** The word that the agent was asked to repeat. */
  tag: string;
}

/** The first message. */
export interface Opening extends Asked {
  /** The code that the agent was asked to remember. */
  code: string;
}

interface SayOptions {
  key?: KeyUsed;
  isStreamed?: boolean;
  /** Closes the connection as soon as the first event has arrived. */
  leavesEarly?: boolean;
  /** Changes the body of the request, or its frames. */
  change?: (body: string) => string;
  /** Replaces the method, the path or the header fields of the request. */
  route?: Partial<Pick<Route, 'method' | 'path' | 'headers'>>;
}

/** Returns a change that sets members of a JSON object; those that are `undefined` are omitted. */
export function withMembers(members: Fields): (body: string) => string {
  return (body) => JSON.stringify({ ...(JSON.parse(body) as object), ...members });
}

/**
 * The conversation that the rules examine, through the protocol that a run uses. Exchanges that several rules examine are
 * sent once, for the first of them.
 */
export class Talk extends Exchanges {
  readonly subject: Subject;
  readonly #wire: Wire;
  #first: Promise<Begun> | undefined;
  #opening: Promise<Opening> | undefined;
  #streamed: Promise<Asked> | undefined;
  #recalled: Promise<Said> | undefined;
  /** Number of sessions with a socket of their own. */
  #sessions = 0;

  constructor(subject: Subject, effects: TalkEffects, wire: Wire) {
    super(effects, wire.isTransient ?? isTransient);
    this.subject = subject;
    this.#wire = wire;
  }

  describe(answer: Answer): string {
    return this.#wire.describe(answer);
  }

  /** Begins the first conversation. Throws an environment error if the key is rejected. */
  first(): Promise<Begun> {
    return (this.#first ??= this.#begin());
  }

  /** Sends the first message: a code to remember, and a tag to repeat at once. Throws an environment error if the key is rejected. */
  opening(): Promise<Opening> {
    return (this.#opening ??= this.#open());
  }

  /** Returns the reply to the question for the code of the opening, in the same conversation. */
  recalled(): Promise<Said> {
    return (this.#recalled ??= this.#recall());
  }

  /** Returns one streamed reply, to a message that asks for a tag. */
  streamed(): Promise<Asked> {
    return (this.#streamed ??= this.#stream());
  }

  /** Returns the opening if it was answered. */
  async answered(): Promise<Opening> {
    return this.#requireAnswer(await this.opening(), 'plain');
  }

  /** Returns the streamed reply that is not an error. */
  async streamedAnswer(): Promise<Asked> {
    return this.#requireAnswer(await this.streamed(), 'streamed');
  }

  /** Returns the events of the streamed reply, at least one. */
  async events(): Promise<readonly StreamEvent[]> {
    const { answer, events } = await this.streamedAnswer();
    if (events.length === 0) throw new Skipped(`a streamed message returned no events: ${this.describe(answer)}`);
    return events;
  }

  /** If an agent does not even repeat a word of the same message, its memory cannot be tested. */
  async requireObedience(): Promise<void> {
    const { answer, verdict, tag } = await this.answered();
    if (holds(verdict.reply?.text, tag)) return;
    const { partner } = this.#wire.nouns;
    throw new Skipped(`not testable: the ${partner} did not repeat the test word: ${this.describe(answer)}`);
  }

  /** Sends a message in a new conversation, if plain messages are answered. */
  async sayAnew(message = 'Hello.', options: SayOptions = {}): Promise<Said> {
    await this.answered();
    const { whole, streamed = whole } = this.subject;
    return this.#sayIn(await this.begin(options.isStreamed === true ? streamed : whole, options.key), message, options);
  }

  /** Begins a conversation. Over a socket, its creation has the key; otherwise its messages alone. */
  async begin(shared: ChatApi, key: KeyUsed = 'good'): Promise<Begun> {
    const api = shared.forSession?.(++this.#sessions, unobserved, ownSession) ?? shared;
    const { creation } = api;
    if (creation === undefined) return { conversation: api.converse(''), created: undefined };
    const { request } = creation;
    const watched = request.socket && watchSocket(request.socket, { isEnd: this.#isEnd });
    const usedKey = watched === undefined ? 'good' : key;
    let answer = await this.exchange({ ...request, ...(watched && { socket: watched.socket }), key: usedKey });
    for (let next = creation.poll?.({ ...answer, isUtf8: true }); next !== undefined;) {
      answer = await this.exchange({ ...next.request, key: usedKey });
      next = creation.poll?.({ ...answer, isUtf8: true });
    }
    const verdict = creation.read({ ...answer, isUtf8: true, stream: watched?.reader() });
    const created = { answer, verdict };
    const id = verdict.reply?.id;
    return id === undefined ? { conversation: undefined, created, api } : { conversation: api.converse(id), created };
  }

  /** Returns the conversation of a session that was created. */
  conversationOf(begun: Begun): Conversation {
    if (begun.conversation !== undefined) return begun.conversation;
    const { session } = this.#wire.nouns;
    throw new Skipped(`no ${session} could be created: ${this.describe(begun.created.answer)}`);
  }

  /** Sends a message of the protocol, or a changed one. */
  async say(
    conversation: Conversation,
    message: string,
    { key = 'good', leavesEarly = false, change = (body) => body, route: other }: SayOptions = {},
  ): Promise<Said> {
    const request: ChatRequest = conversation.request({ message, variableValues: this.subject.values });
    const { fields, socket } = request;
    const route = { ...request.route, ...other };
    const watched = socket && watchSocket(socket, { change, isEnd: this.#isEnd });
    const answer = await this.exchange({
      route,
      body: socket === undefined ? change(request.body) : request.body,
      key,
      leavesEarly,
      ...(fields !== undefined && { fields }),
      ...(watched !== undefined && { socket: watched.socket }),
    });
    const verdict =
      watched === undefined
        ? readAnswer(conversation, route, answer)
        : conversation.read({ ...answer, isUtf8: true, stream: watched.reader() });
    return { conversation, answer, verdict, events: (answer.events ?? []).map(readEvent) };
  }

  get #isEnd(): IsEnd {
    return this.#wire.isEnd ?? (() => false);
  }

  /** Over a socket, a success status of HTTP is not an answer. */
  #requireAnswer<Each extends Said>(said: Each, kind: 'plain' | 'streamed'): Each {
    const { answer } = said;
    if (isAnswered(answer) && (this.#wire.isEnd === undefined || answer.status === 101)) return said;
    throw new Skipped(`a ${kind} message was not answered: ${this.describe(answer)}`);
  }

  async #begin(): Promise<Begun> {
    const begun = await this.begin(this.subject.first);
    const { conversation, created } = begun;
    if (created !== undefined) acceptKey(created.answer, this.subject);
    if (conversation === undefined) this.refuse('create', begun.created.verdict.outcome);
    return begun;
  }

  async #open(): Promise<Opening> {
    const { needs, newCode } = this.subject;
    const [code, tag] = [newCode(), newCode()];
    const begun = await this.first();
    const said = await this.#sayIn(begun, `${needs.words.remember(code)}\n${questions.echo(tag)}`);
    if (begun.conversation !== undefined) {
      acceptKey(said.answer, this.subject);
      if (!isAnswered(said.answer)) this.refuse('message', said.verdict.outcome);
    }
    return { ...said, code, tag };
  }

  async #recall(): Promise<Said> {
    const { conversation, verdict } = await this.opening();
    conversation.replied?.(verdict.reply ?? noReply);
    return this.say(conversation, this.subject.needs.words.recall);
  }

  async #stream(): Promise<Asked> {
    const tag = this.subject.newCode();
    return { ...(await this.sayAnew(questions.echo(tag), { isStreamed: true })), tag };
  }

  /** A refused upgrade answers the message that would have followed. */
  async #sayIn(begun: Begun, message: string, options: SayOptions = {}): Promise<Said> {
    if (begun.conversation === undefined && begun.api.creation?.request.socket !== undefined)
      return { ...begun.created, conversation: begun.api.converse(''), events: [] };
    return this.say(this.conversationOf(begun), message, options);
  }
}

/** An answer that cannot be read is part of the conversation, too. */
const noReply: Reply = { text: '', id: undefined, data: undefined };

/** A session that no result shows. */
const ownSession: OwnSession = { runId: randomUUID().slice(0, 8), uuid: randomUUID, keepSecret: () => undefined };
