import { countOf } from '../../base/format.ts';
import { errorIn } from '../../protocol/model-api/api-error.ts';
import type { ChatApi, ChatRequest, Conversation, Reply, Verdict } from '../../protocol/protocol.ts';
import { questions } from '../../protocol/chat-messaging/questions.ts';
import { acceptKey, type Answer, type KeyUsed } from '../post.ts';
import { fieldsOf, holds, isAnswered, isTransient, wordAnswer, type Fields } from '../answer.ts';
import { Exchanges, type Refusal, type TalkEffects } from '../exchanges.ts';
import { type Rule, Skipped, type Words } from '../rule.ts';
import type { Dialect } from './dialect.ts';
import { readEvent, type StreamEvent } from './stream-event.ts';

/** A rule of such an API; which ones are required is said in one place for all of them. */
export type ApiRule = Omit<Rule<ApiTalk>, 'standing'>;

/** A service that is spoken to as a model is: what asks it, and what it is asked. */
export interface ApiSubject {
  dialect: Dialect;
  /** Its API with whole replies. */
  whole: ChatApi;
  /** The same with replies in pieces. */
  streamed: ChatApi;
  /** Variable values of every message, as JSON text, or ''. */
  values: string;
  timeoutMs: number;
  /** Requests carry nothing that authorizes. */
  isOpen?: boolean;
  words: Words;
  /** Returns a new word: letters and digits only. */
  newCode: () => string;
}

interface Opening {
  conversation: Conversation;
  answer: Answer;
  verdict: Verdict;
  /** What the model was asked to remember. */
  code: string;
  /** Whether it repeated a tag that it was asked for in the same message. */
  obeys: boolean;
}

/** A streamed reply and the tag that it was asked for. */
export interface Streamed {
  answer: Answer;
  events: readonly StreamEvent[];
  tag: string;
}

interface Sent {
  key?: KeyUsed;
  isStreamed?: boolean;
  leavesEarly?: boolean;
}

/**
 * The conversation that the rules look at, one exchange after the other. What several rules look at happens once, when
 * the first of them asks for it.
 */
export class ApiTalk {
  readonly subject: ApiSubject;
  /** How the first conversation or the first message was refused; `undefined` where neither was. */
  refusal: Refusal | undefined;
  readonly #exchanges: Exchanges;
  #opening: Promise<Opening> | undefined;
  #recalled: Promise<Answer> | undefined;
  #streamed: Promise<Streamed> | undefined;

  constructor(subject: ApiSubject, effects: TalkEffects) {
    this.subject = subject;
    this.#exchanges = new Exchanges(effects, isTransient);
  }

  /** What came back of messages, in order, that included which was sent again. */
  get answers(): readonly Answer[] {
    return this.#exchanges.answers;
  }

  /** HTTP exchanges so far. */
  get exchanges(): number {
    return this.#exchanges.count;
  }

  /** The first message, answered as a whole: a code to remember, and a tag to repeat at once. Throws an environment error when the key is refused. */
  opening(): Promise<Opening> {
    return (this.#opening ??= this.#open());
  }

  /** The second message: which code was it? */
  recalled(): Promise<Answer> {
    return (this.#recalled ??= this.#recall());
  }

  /** One reply in pieces, to a message that asks for a tag. */
  streamed(): Promise<Streamed> {
    return (this.#streamed ??= this.#stream());
  }

  /** The first reply, as far as it is a JSON object. */
  async reply(): Promise<Fields> {
    await this.requireAnswer();
    const fields = fieldsOf((await this.opening()).answer);
    if (fields === undefined) throw new Skipped('the body is not a JSON object');
    return fields;
  }

  /** The streamed reply, if the message was answered. */
  async streamedAnswer(): Promise<Streamed> {
    const streamed = await this.streamed();
    if (!isAnswered(streamed.answer))
      throw new Skipped(`a streamed message was not answered: ${describe(streamed.answer)}`);
    return streamed;
  }

  /** The events of the streamed reply, if there are any. */
  async events(): Promise<readonly StreamEvent[]> {
    const { answer, events } = await this.streamedAnswer();
    if (events.length === 0) throw new Skipped(`a streamed message brought no events: ${describe(answer)}`);
    return events;
  }

  async requireAnswer(): Promise<void> {
    const { answer } = await this.opening();
    if (!isAnswered(answer)) throw new Skipped(`a plain message was not answered: ${describe(answer)}`);
  }

  /** A model that does not even repeat a word of the same message cannot be asked what it remembers. */
  async requireObedience(): Promise<void> {
    await this.requireAnswer();
    const { obeys, answer } = await this.opening();
    if (!obeys)
      throw new Skipped(
        `the model does not repeat what it is asked to repeat, so nothing can be checked: ${describe(answer)}`,
      );
  }

  /** The members of a message of its own, which is valid. */
  message(text = 'Hello.', { isStreamed = false }: Pick<Sent, 'isStreamed'> = {}): Fields {
    return JSON.parse(this.#request(this.#api(isStreamed).converse(''), text).body) as Fields;
  }

  /** Sends members, or a text as it is. A member that is `undefined` is left out. */
  async send(
    body: Fields | string,
    { key = 'good', isStreamed = false, leavesEarly = false }: Sent = {},
  ): Promise<Answer> {
    const { route } = this.#request(this.#api(isStreamed).converse(''), '');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.#exchanges.exchange({ route, body: text, key, leavesEarly });
  }

  /** The ids of replies, for which one message more is sent. */
  async ids(): Promise<unknown[]> {
    await this.requireAnswer();
    const answers = [(await this.opening()).answer, await this.recalled()];
    return answers.map((answer) => fieldsOf(answer)?.['id']);
  }

  async #open(): Promise<Opening> {
    const { words, newCode } = this.subject;
    const conversation = await this.#converse();
    const [code, tag] = [newCode(), newCode()];
    const answer = await this.#say(conversation, `${words.remember(code)}\n${questions.echo(tag)}`);
    acceptKey(answer);
    const verdict = readWith(conversation, answer);
    const { outcome, reply } = verdict;
    if (!isAnswered(answer))
      this.refusal = { operation: 'message', outcome: outcome === 'aborted' ? 'connection_lost' : outcome };
    return { conversation, answer, verdict, code, obeys: holds(reply?.text, tag) };
  }

  /** What keeps the conversation is the protocol's: the messages so far, the reply before, or nothing more. */
  async #recall(): Promise<Answer> {
    const { conversation, verdict } = await this.opening();
    const { reply = noReply } = verdict;
    conversation.replied?.(reply);
    return this.#say(conversation, this.subject.words.recall);
  }

  async #converse(): Promise<Conversation> {
    const { creation } = this.subject.whole;
    if (creation === undefined) return this.subject.whole.converse('');
    const answer = await this.#exchanges.exchange({ ...creation.request, key: 'good' });
    acceptKey(answer);
    const { reply, outcome } = creation.read({ ...answer, isUtf8: true });
    if (reply?.id !== undefined) return this.subject.whole.converse(reply.id);
    this.refusal = { operation: 'create', outcome: outcome === 'aborted' ? 'connection_lost' : outcome };
    throw new Skipped(`no conversation could be created: ${describe(answer)}`);
  }

  async #stream(): Promise<Streamed> {
    await this.requireAnswer();
    const tag = this.subject.newCode();
    const answer = await this.send(this.message(questions.echo(tag), { isStreamed: true }), { isStreamed: true });
    return { answer, events: (answer.events ?? []).map(readEvent), tag };
  }

  #api(isStreamed: boolean): ChatApi {
    return isStreamed ? this.subject.streamed : this.subject.whole;
  }

  #say(conversation: Conversation, message: string): Promise<Answer> {
    return this.#exchanges.exchange({ ...this.#request(conversation, message), key: 'good' });
  }

  #request(conversation: Conversation, message: string): ChatRequest {
    return conversation.request({ message, variableValues: this.subject.values });
  }
}

const noReply: Reply = { text: '', id: undefined, data: undefined };

function readWith(conversation: Conversation, answer: Answer): Verdict {
  return conversation.read({ ...answer, contentType: undefined, isUtf8: true });
}

/** An answer in words: its error, or its body where that is no JSON. */
export function describe(answer: Answer): string {
  if (answer.events !== undefined && answer.failure === undefined)
    return `${String(answer.status)}, ${countOf(answer.events.length, 'event')}`;
  return wordAnswer(answer, errorIn(fieldsOf(answer))?.message);
}
