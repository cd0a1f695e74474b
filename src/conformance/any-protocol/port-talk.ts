import { randomUUID } from 'node:crypto';
import { questions } from '../../protocol/chat-messaging/questions.ts';
import type {
  ChatApi,
  ChatRequest,
  Conversation,
  OwnSession,
  Route,
  StreamEvent as PortEvent,
  Verdict,
} from '../../protocol/protocol.ts';
import { describeReply, fieldsOf, holds, isAnswered, isTransient } from '../answer.ts';
import { acceptKey, Exchanges, type Answer, type KeyUsed, type ReceivedEvent, type TalkEffects } from '../exchanges.ts';
import { readEvent, type IsEnd, type StreamEvent } from '../model-api/stream-event.ts';
import { Skipped, type Words } from '../rule.ts';
import { watchSocket } from './watch-socket.ts';
import { errorMessage } from '../../protocol/error-message.ts';
import { unobserved } from '../../protocol/socket-api.ts';

/** The service under check, reached through its protocol as a run reaches it. */
export interface PortSubject {
  /** The API without streaming; the streamed one if the protocol only streams. */
  whole: ChatApi;
  /** `undefined`: the protocol does not stream. */
  streamed: ChatApi | undefined;
  /** Variable values of every message, as JSON text, or ''. */
  values: string;
  timeoutMs: number;
  /** True if requests carry no key. */
  isOpen: boolean;
  /** True if requests carry no credential, not even in a header field of the scenario. */
  isAnonymous: boolean;
  /** Kind of authorization, as in the plan. */
  auth: string;
  words: Words;
  /** Recognizes the event at the end of a reply over WebSocket; `undefined`: over HTTP. */
  isEnd: IsEnd | undefined;
  /** Returns a new word: letters and digits only. */
  newCode: () => string;
}

/** The open conversation of a session, or the refusal of its creation. */
type Begun = Conversation | Said;

/** A message, its response, and the verdict that a run would have. */
export interface Said {
  conversation: Conversation;
  answer: Answer;
  verdict: Verdict;
  events: readonly StreamEvent[];
  /** The word that the agent was asked to repeat. */
  tag: string;
}

interface SayOptions {
  key?: KeyUsed;
  isStreamed?: boolean;
  leavesEarly?: boolean;
  /** Changes the body of the request. */
  change?: (body: string) => string;
}

/** The conversation that the rules examine. Exchanges that several rules examine are sent once, for the first of them. */
export class PortTalk extends Exchanges {
  readonly subject: PortSubject;
  #opening: Promise<Said & { code: string }> | undefined;
  #streamed: Promise<Said> | undefined;
  #recalled: Promise<Said> | undefined;
  /** Number of sessions with a socket of their own. */
  #sessions = 0;

  constructor(subject: PortSubject, effects: TalkEffects) {
    super(effects, isTransient);
    this.subject = subject;
  }

  /** Sends the first message: a code to remember, and a tag to repeat at once. Throws an environment error if the key is rejected. */
  opening(): Promise<Said & { code: string }> {
    return (this.#opening ??= this.#open());
  }

  /** Returns one streamed reply, to a message that asks for a tag. */
  streamed(): Promise<Said> {
    return (this.#streamed ??= this.#stream());
  }

  /** Returns the opening if it was answered. */
  async answered(): Promise<Said & { code: string }> {
    const opening = await this.opening();
    if (!this.#isAnswered(opening.answer))
      throw new Skipped(`a plain message was not answered: ${describe(opening.answer)}`);
    return opening;
  }

  /** Returns the streamed reply that is not an error. */
  async streamedAnswer(): Promise<Said> {
    const streamed = await this.streamed();
    if (!this.#isAnswered(streamed.answer))
      throw new Skipped(`a streamed message was not answered: ${describe(streamed.answer)}`);
    return streamed;
  }

  /** Returns the events of the streamed reply, at least one. */
  async events(): Promise<readonly StreamEvent[]> {
    const { answer, events } = await this.streamedAnswer();
    if (events.length === 0) throw new Skipped(`a streamed message returned no events: ${describe(answer)}`);
    return events;
  }

  /** If an agent does not even repeat a word of the same message, its memory cannot be tested. */
  async requireObedience(): Promise<void> {
    const { answer, verdict, tag } = await this.answered();
    if (!holds(verdict.reply?.text, tag))
      throw new Skipped(`not testable: the agent did not repeat the test word: ${describe(answer)}`);
  }

  /** Returns the reply to the question for the code of the opening, in the same conversation. */
  recalled(): Promise<Said> {
    return (this.#recalled ??= this.#recall());
  }

  async #recall(): Promise<Said> {
    const { conversation, verdict } = await this.answered();
    if (verdict.reply !== undefined) conversation.replied?.(verdict.reply);
    return this.say(conversation, this.subject.words.recall);
  }

  /** Sends a message in a new conversation, if plain messages are answered. */
  async sayAnew(message = 'Hello.', options: SayOptions = {}): Promise<Said> {
    await this.answered();
    const begun = await this.#converse(options);
    return isRefused(begun) ? begun : this.say(begun, message, options);
  }

  async say(
    conversation: Conversation,
    message: string,
    { key = 'good', leavesEarly = false, change = (body) => body }: SayOptions = {},
  ): Promise<Said> {
    const request: ChatRequest = conversation.request({ message, variableValues: this.subject.values });
    const { route, fields, socket } = request;
    const body = socket === undefined ? change(request.body) : request.body;
    const watched = socket && watchSocket(socket, { change, isEnd: this.#isEnd });
    const answer = await this.exchange({
      route,
      body,
      key,
      leavesEarly,
      ...(fields !== undefined && { fields }),
      ...(watched !== undefined && { socket: watched.socket }),
    });
    const verdict =
      watched === undefined
        ? readAnswer(conversation, route, answer)
        : conversation.read({ ...answer, isUtf8: true, stream: watched.reader() });
    return { conversation, answer, verdict, events: (answer.events ?? []).map(readEvent), tag: '' };
  }

  /** Over a socket, a success status of HTTP is not an answer. */
  #isAnswered(answer: Answer): boolean {
    return isAnswered(answer) && (this.subject.isEnd === undefined || answer.status === 101);
  }

  get #isEnd(): IsEnd {
    return this.subject.isEnd ?? (() => false);
  }

  async #open(): Promise<Said & { code: string }> {
    const { words, newCode } = this.subject;
    const [code, tag] = [newCode(), newCode()];
    const begun = await this.#converse();
    if (isRefused(begun)) return { ...begun, code, tag };
    const said = await this.say(begun, `${words.remember(code)}\n${questions.echo(tag)}`);
    acceptKey(said.answer, this.subject);
    if (!isAnswered(said.answer)) this.refuse('message', said.verdict.outcome);
    return { ...said, code, tag };
  }

  async #stream(): Promise<Said> {
    const tag = this.subject.newCode();
    return { ...(await this.sayAnew(questions.echo(tag), { isStreamed: true })), tag };
  }

  async #converse({ isStreamed = false, key = 'good' }: SayOptions = {}): Promise<Begun> {
    const { whole, streamed = whole } = this.subject;
    const shared = isStreamed ? streamed : whole;
    const api = shared.forSession?.(++this.#sessions, unobserved, ownSession) ?? shared;
    if (api.creation === undefined) return api.converse('');
    const { request } = api.creation;
    const watched = request.socket && watchSocket(request.socket, { isEnd: this.#isEnd });
    const usedKey = watched === undefined ? 'good' : key;
    let answer = await this.exchange({ ...request, ...(watched && { socket: watched.socket }), key: usedKey });
    for (let next = api.creation.poll?.({ ...answer, isUtf8: true }); next !== undefined;) {
      answer = await this.exchange({ ...next.request, key: usedKey });
      next = api.creation.poll?.({ ...answer, isUtf8: true });
    }
    if (usedKey === 'good') acceptKey(answer, this.subject);
    const verdict = api.creation.read({ ...answer, isUtf8: true, stream: watched?.reader() });
    if (verdict.reply?.id !== undefined) return api.converse(verdict.reply.id);
    if (usedKey === 'good') this.refuse('create', verdict.outcome);
    if (watched !== undefined) return { conversation: api.converse(''), answer, verdict, events: [], tag: '' };
    throw new Skipped(`no conversation could be created: ${describe(answer)}`);
  }
}

/** A session that no result shows. */
const ownSession: OwnSession = { runId: randomUUID().slice(0, 8), uuid: randomUUID, keepSecret: () => undefined };

const isRefused = (begun: Begun): begun is Said => 'answer' in begun;

/** Returns the verdict that a run would have on a response. */
function readAnswer(conversation: Conversation, { stream: format }: Route, answer: Answer): Verdict {
  const { contentType, ...received } = answer;
  const stream = answer.events === undefined ? undefined : format?.begin();
  for (const event of answer.events ?? []) stream?.take(new HeldEvent(event));
  const isJson = /^application\/json\b/i.test(contentType);
  return conversation.read({ ...received, isUtf8: true, stream, contentType: isJson ? undefined : contentType });
}

/** An event that was received, in the form in which protocols take it. */
class HeldEvent implements PortEvent {
  readonly type: string;
  readonly bytes: Buffer;
  readonly start = 0;
  readonly end: number;

  constructor({ type, data }: ReceivedEvent) {
    this.type = type;
    this.bytes = Buffer.from(data);
    this.end = this.bytes.length;
  }

  text(): string {
    return this.bytes.toString();
  }
}

/** Describes a response by the number of its events, its error, or its body if that is not JSON. */
export function describe(answer: Answer): string {
  if (answer.events !== undefined && answer.failure === undefined)
    return `${String(answer.status)}, ${String(answer.events.length)} events`;
  const message = errorMessage(fieldsOf(answer), '');
  return describeReply(answer, message === '' ? undefined : message);
}
