import { messageRoute } from '../../protocol/chat-messaging/chat-messaging.ts';
import { questions } from '../../protocol/chat-messaging/questions.ts';
import { creationRules, messageRules } from '../../protocol/chat-messaging/reply-rules.ts';
import { classifyWhole, judgeCreation } from '../../protocol/classify-whole.ts';
import type { ChatRequest } from '../../protocol/protocol.ts';
import { fieldsOf, holds, isAnswered, type Fields, isTransient, describeReply } from '../answer.ts';
import { Exchanges, type TalkEffects, acceptKey, type Answer, type KeyUsed } from '../exchanges.ts';
import { Skipped, type Rule, type Words } from '../rule.ts';
import { isObject } from '../../base/is-object.ts';
import { errorTexts } from '../../protocol/chat-messaging/api.ts';

/** A rule of the API; required unless it is marked as recommended. */
export type MessagingRule = Omit<Rule<Talk>, 'standing'> & { standing?: 'recommended' };

interface Creation {
  answer: Answer;
  /** `undefined` if the response contains none. */
  sessionId: string | undefined;
}

interface Opening {
  sessionId: string;
  /** The code that the agent was asked to remember. */
  code: string;
  /** True if the agent repeated a tag as requested in the same message: only then do its replies show its memory. */
  obeys: boolean;
  answer: Answer;
}

export interface SeenReply {
  data: Fields;
  answer: Answer;
}

/** The conversation that the rules examine. Exchanges that several rules examine are sent once, for the first of them. */
export class Talk extends Exchanges {
  readonly subject: Subject;
  #creation: Promise<Creation> | undefined;
  #opening: Promise<Opening> | undefined;
  #recalled: Promise<Answer> | undefined;

  constructor(subject: Subject, effects: TalkEffects) {
    super(effects, isWorthRetrying);
    this.subject = subject;
  }

  /** Creates the first session. Throws an environment error if the key is rejected. */
  creation(): Promise<Creation> {
    return (this.#creation ??= this.#first());
  }

  /** Sends the first message: a code to remember, and a tag to repeat at once. */
  opening(): Promise<Opening> {
    return (this.#opening ??= this.#open());
  }

  /** Sends the second message, which asks for the code. */
  recalled(): Promise<Answer> {
    return (this.#recalled ??= this.opening().then(({ sessionId }) => this.say(sessionId, this.subject.words.recall)));
  }

  async sessionId(): Promise<string> {
    return idOf(await this.creation());
  }

  /** Creates a separate session for a rule. */
  async newSession(): Promise<string> {
    await this.requireAnswer();
    return idOf(await this.create());
  }

  /** Returns the replies to the first two messages. */
  async replies(): Promise<SeenReply[]> {
    const replies = [(await this.opening()).answer, await this.recalled()].flatMap((answer) => {
      const data = dataOf(answer);
      return data === undefined ? [] : [{ data, answer }];
    });
    if (replies.length === 0) throw new Skipped('there was no message result to check');
    return replies;
  }

  async requireAnswer(): Promise<void> {
    if (!isAnswered((await this.opening()).answer)) throw new Skipped('a plain message was not answered');
  }

  async create(agentId = this.subject.agentId): Promise<Creation> {
    const answer = await this.exchange({ ...this.subject.creation(agentId), key: 'good' });
    const fields = fieldsOf(answer);
    const found = isAnswered(answer) && fields ? judgeCreation(this.subject.sessionIdFrom)(fields) : undefined;
    return { answer, sessionId: found && 'reply' in found ? found.reply.id : undefined };
  }

  /** Sends a message to a session; a field of `over` that is `undefined` is omitted. */
  say(sessionId: string, message: string, over: Fields = {}): Promise<Answer> {
    return this.send({ sessionId, message, ...over });
  }

  /** Sends a message with these fields over the usual ones. */
  send(fields: Fields, key: KeyUsed = 'good'): Promise<Answer> {
    const { agentId, values: variableValues } = this.subject;
    const body = JSON.stringify({ agentId, variableValues, ...fields });
    return this.exchange({ route: messageRoute, key, body });
  }

  async #first(): Promise<Creation> {
    const creation = await this.create();
    const { answer, sessionId } = creation;
    acceptKey(answer, this.subject);
    const rules = creationRules(this.subject.sessionIdFrom);
    if (sessionId === undefined) this.refuse('create', classifyWhole({ ...answer, isUtf8: true }, rules).outcome);
    return creation;
  }

  async #open(): Promise<Opening> {
    const sessionId = await this.sessionId();
    const [code, tag] = [this.subject.newCode(), this.subject.newCode()];
    const answer = await this.say(sessionId, `${this.subject.words.remember(code)}\n${questions.echo(tag)}`);
    acceptKey(answer, this.subject);
    // Every success status is an answer: other rules judge whether the reply conforms.
    const rules = { ...messageRules, welcome: [] };
    if (!isAnswered(answer))
      this.refuse('message', classifyWhole({ ...answer, isUtf8: true }, rules, sessionId).outcome);
    return { sessionId, code, obeys: holds(replyText(answer), tag), answer };
  }
}

function idOf({ answer, sessionId }: Creation): string {
  if (sessionId === undefined) throw new Skipped(`no session could be created: ${describeAnswer(answer)}`);
  return sessionId;
}

/** The service under check, and the input of rules that need more than a target. */
export interface Subject {
  agentId: string;
  /** Returns the request that creates a session with an agent. */
  creation: (agentId: string) => ChatRequest;
  /** Dotted path of the session id in the reply. */
  sessionIdFrom: string;
  /** An agent of the account with chat turned off. */
  chatOffAgentId: string | undefined;
  hasWrongKindKey: boolean;
  /** True if requests carry no key. */
  isOpen?: boolean;
  /** True if requests carry no credential, not even in a header field of the scenario. */
  isAnonymous?: boolean;
  /** Kind of authorization, as in the plan. */
  auth?: string;
  /** A variable that the agent's instructions reference, with a recognizable value. */
  variable: { name: string; value: string } | undefined;
  /** `variableValues` of every message, unless a rule overrides them. */
  values: Readonly<Record<string, unknown>>;
  words: Words;
  /** Returns a new word: letters and digits only. */
  newCode: () => string;
}

/** Returns the message result in a reply, if any. */
function dataOf(answer: Answer): Fields | undefined {
  const data = fieldsOf(answer)?.['data'];
  return isAnswered(answer) && isObject(data) ? data : undefined;
}

/** Returns the agent's text in a reply, if any. */
export function replyText(answer: Answer): string | undefined {
  const response = dataOf(answer)?.['response'];
  return typeof response === 'string' ? response : undefined;
}

/** Reports whether a body contains a text, in any member; a separate rule requires the member `error`. */
export function contains(answer: Answer, text: string): boolean {
  return textsIn(fieldsOf(answer)).includes(text);
}

export function isProviderFailure(answer: Answer): boolean {
  return fieldsOf(answer)?.['error'] === errorTexts.provider;
}

/** Reports whether clients should retry. Source: the API description, sections 7 and 8. */
function isWorthRetrying(answer: Answer): boolean {
  return isTransient(answer) || isProviderFailure(answer);
}

export function describeAnswer(answer: Answer): string {
  return describeReply(answer, dataOf(answer)?.['response'] ?? textsIn(fieldsOf(answer))[0]);
}

/** Returns the texts in an object, `error` first, and in the objects in it. */
function textsIn(fields: Fields | undefined): string[] {
  if (fields === undefined) return [];
  const values = [fields['error'], ...Object.values(fields)];
  const own = values.filter((value) => typeof value === 'string');
  return [
    ...own,
    ...values.filter(isObject).flatMap((inner) => Object.values(inner).filter((each) => typeof each === 'string')),
  ];
}
