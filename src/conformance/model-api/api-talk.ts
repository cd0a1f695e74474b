import { countOf } from '../../base/format.ts';
import { errorIn } from '../../protocol/model-api/api-error.ts';
import type { ChatApi, ChatRequest, Conversation, Reply, Verdict } from '../../protocol/protocol.ts';
import { questions } from '../../protocol/chat-messaging/questions.ts';
import { acceptKey, type Answer, type KeyUsed, Exchanges, type TalkEffects } from '../exchanges.ts';
import { describeReply, fieldsOf, holds, isAnswered, isTransient, type Fields } from '../answer.ts';
import { type Observation, type Rule, Skipped, type Words } from '../rule.ts';
import type { Dialect } from './dialect.ts';
import { readEvent, type StreamEvent } from './stream-event.ts';

/** A rule of a model API; the required rules are listed in one place for all APIs. */
export type ApiRule = Omit<Rule<ApiTalk>, 'standing'>;

/** Observation of all events of a streamed reply, in order. */
type Look = (events: readonly StreamEvent[]) => Observation;

/** Creates a rule on the events of a streamed reply. */
export type EventRule = (id: string, rule: string, expected: string, look: Look) => ApiRule;

/** Returns a function that creates rules on the events of a streamed reply, of one section. */
export function eventRules(section: string): EventRule {
  return (id, rule, expected, look) => ({
    id,
    section,
    rule,
    expected,
    try: async (talk) => look(await talk.events()),
  });
}

/** The service under check. */
export interface ApiSubject {
  dialect: Dialect;
  /** The API without streaming. */
  whole: ChatApi;
  streamed: ChatApi;
  /** Variable values of every message, as JSON text, or ''. */
  values: string;
  timeoutMs: number;
  /** True if requests carry no key. */
  isOpen?: boolean;
  /** True if requests carry no credential, not even in a header field of the scenario. */
  isAnonymous?: boolean;
  /** Kind of authorization, as in the plan. */
  auth?: string;
  words: Words;
  /** Returns a new word: letters and digits only. */
  newCode: () => string;
}

interface Opening {
  conversation: Conversation;
  answer: Answer;
  verdict: Verdict;
  /** The code that the model was asked to remember. */
  code: string;
  /** True if it repeated a tag as requested in the same message. */
  obeys: boolean;
}

/** A streamed reply and the tag that it was asked to repeat. */
export interface Streamed {
  answer: Answer;
  events: readonly StreamEvent[];
  tag: string;
}

interface SendOptions {
  key?: KeyUsed;
  isStreamed?: boolean;
  leavesEarly?: boolean;
}

/** The conversation that the rules examine. Exchanges that several rules examine are sent once, for the first of them. */
export class ApiTalk extends Exchanges {
  readonly subject: ApiSubject;
  #opening: Promise<Opening> | undefined;
  #recalled: Promise<Answer> | undefined;
  #streamed: Promise<Streamed> | undefined;

  constructor(subject: ApiSubject, effects: TalkEffects) {
    super(effects, isTransient);
    this.subject = subject;
  }

  /** Sends the first message, not streamed: a code to remember, and a tag to repeat at once. Throws an environment error if the key is rejected. */
  opening(): Promise<Opening> {
    return (this.#opening ??= this.#open());
  }

  /** Sends the second message, which asks for the code. */
  recalled(): Promise<Answer> {
    return (this.#recalled ??= this.#recall());
  }

  /** Returns one streamed reply, to a message that asks for a tag. */
  streamed(): Promise<Streamed> {
    return (this.#streamed ??= this.#stream());
  }

  /** Returns the first reply that is not an error. */
  async answer(): Promise<Answer> {
    const { answer } = await this.opening();
    if (!isAnswered(answer)) throw new Skipped(`a plain message was not answered: ${describe(answer)}`);
    return answer;
  }

  /** Returns the JSON object of the first reply. */
  async reply(): Promise<Fields> {
    const fields = fieldsOf(await this.answer());
    if (fields === undefined) throw new Skipped('the body is not a JSON object');
    return fields;
  }

  /** Returns the streamed reply that is not an error. */
  async streamedAnswer(): Promise<Streamed> {
    const streamed = await this.streamed();
    if (!isAnswered(streamed.answer))
      throw new Skipped(`a streamed message was not answered: ${describe(streamed.answer)}`);
    return streamed;
  }

  /** Returns the events of the streamed reply, at least one. */
  async events(): Promise<readonly StreamEvent[]> {
    const { answer, events } = await this.streamedAnswer();
    if (events.length === 0) throw new Skipped(`a streamed message returned no events: ${describe(answer)}`);
    return events;
  }

  /** If a model does not even repeat a word of the same message, its memory cannot be tested. */
  async requireObedience(): Promise<void> {
    const answer = await this.answer();
    if (!(await this.opening()).obeys)
      throw new Skipped(`not testable: the model did not repeat the test word: ${describe(answer)}`);
  }

  /** Returns the members of a new valid message. */
  message(text = 'Hello.', isStreamed = false): Fields {
    return JSON.parse(this.#request(this.#api(isStreamed).converse(''), text).body) as Fields;
  }

  /** Sends members, or a text as it is. A member that is `undefined` is omitted. */
  async send(
    body: Fields | string,
    { key = 'good', isStreamed = false, leavesEarly = false }: SendOptions = {},
  ): Promise<Answer> {
    const { route } = this.#request(this.#api(isStreamed).converse(''), '');
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.exchange({ route, body: text, key, leavesEarly });
  }

  /** Sends a message with these members over the usual ones, if plain messages are answered. */
  async sendOver(members: Fields, options: SendOptions = {}): Promise<Answer> {
    await this.answer();
    return this.send({ ...this.message('Hello.', options.isStreamed), ...members }, options);
  }

  async #open(): Promise<Opening> {
    const { words, newCode } = this.subject;
    const conversation = await this.#converse();
    const [code, tag] = [newCode(), newCode()];
    const answer = await this.#say(conversation, `${words.remember(code)}\n${questions.echo(tag)}`);
    acceptKey(answer, this.subject);
    const verdict = conversation.read({ ...answer, contentType: undefined, isUtf8: true });
    if (!isAnswered(answer)) this.refuse('message', verdict.outcome);
    return { conversation, answer, verdict, code, obeys: holds(verdict.reply?.text, tag) };
  }

  /** The protocol keeps the conversation: the messages so far, the id of the reply before, or nothing more. */
  async #recall(): Promise<Answer> {
    const { conversation, verdict } = await this.opening();
    const { reply = noReply } = verdict;
    conversation.replied?.(reply);
    return this.#say(conversation, this.subject.words.recall);
  }

  async #converse(): Promise<Conversation> {
    const { creation } = this.subject.whole;
    if (creation === undefined) return this.subject.whole.converse('');
    const answer = await this.exchange({ ...creation.request, key: 'good' });
    acceptKey(answer, this.subject);
    const { reply, outcome } = creation.read({ ...answer, isUtf8: true });
    if (reply?.id !== undefined) return this.subject.whole.converse(reply.id);
    this.refuse('create', outcome);
    throw new Skipped(`no conversation could be created: ${describe(answer)}`);
  }

  async #stream(): Promise<Streamed> {
    await this.answer();
    const tag = this.subject.newCode();
    const answer = await this.send(this.message(questions.echo(tag), true), { isStreamed: true });
    return { answer, events: (answer.events ?? []).map(readEvent), tag };
  }

  #api(isStreamed: boolean): ChatApi {
    return isStreamed ? this.subject.streamed : this.subject.whole;
  }

  #say(conversation: Conversation, message: string): Promise<Answer> {
    return this.exchange({ ...this.#request(conversation, message), key: 'good' });
  }

  #request(conversation: Conversation, message: string): ChatRequest {
    return conversation.request({ message, variableValues: this.subject.values });
  }
}

const noReply: Reply = { text: '', id: undefined, data: undefined };

/** Describes a reply by its events, its error, or its body if that is not JSON. */
export function describe(answer: Answer): string {
  if (answer.events !== undefined && answer.failure === undefined)
    return `${String(answer.status)}, ${countOf(answer.events.length, 'event')}`;
  return describeReply(answer, errorIn(fieldsOf(answer))?.message);
}

/** Returns the text of a reply, if it can be read. */
export function textOf({ judge }: Dialect, answer: Answer): string | undefined {
  const judged = judge(fieldsOf(answer) ?? {});
  return 'reply' in judged ? judged.reply.text : undefined;
}
