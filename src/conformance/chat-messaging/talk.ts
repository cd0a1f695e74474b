import { messageRoute } from '../../protocol/chat-messaging/chat-messaging.ts';
import { questions } from '../../protocol/chat-messaging/questions.ts';
import { creationRules, messageRules } from '../../protocol/chat-messaging/reply-rules.ts';
import { classifyWhole, type WholeRules } from '../../protocol/classify-whole.ts';
import { judgeCreation } from '../../protocol/judge-creation.ts';
import type { FinishedClass } from '../../protocol/outcome.ts';
import type { ChatRequest } from '../../protocol/protocol.ts';
import { fieldsOf, holds, isAnswered, type Fields } from '../answer.ts';
import { Exchanges, type Refusal, type TalkEffects } from '../exchanges.ts';
import { acceptKey, type Answer, type KeyUsed } from '../post.ts';
import { Skipped, type Words } from '../rule.ts';
import { dataOf, describeAnswer, isWorthRetrying, replyText } from './message-answer.ts';

interface Creation {
  answer: Answer;
  /** `undefined` when the answer brought none. */
  sessionId: string | undefined;
}

interface Opening {
  sessionId: string;
  /** What the agent was asked to remember. */
  code: string;
  /** Whether the agent repeated a tag that it was asked for in the same message: whether asking it shows anything. */
  obeys: boolean;
  answer: Answer;
}

export interface SeenReply {
  data: Fields;
  answer: Answer;
}

/**
 * The conversation that the rules look at, one exchange after the other. What several rules look at happens once, when
 * the first of them asks for it.
 */
export class Talk {
  readonly subject: Subject;
  /** How the first session or the first message was refused; `undefined` where neither was. */
  refusal: Refusal | undefined;
  readonly #exchanges: Exchanges;
  #creation: Promise<Creation> | undefined;
  #opening: Promise<Opening> | undefined;
  #recalled: Promise<Answer> | undefined;

  constructor(subject: Subject, effects: TalkEffects) {
    this.subject = subject;
    this.#exchanges = new Exchanges(effects, isWorthRetrying);
  }

  /** What came back of messages, in order, that included which was sent again. */
  get answers(): readonly Answer[] {
    return this.#exchanges.answers;
  }

  /** HTTP exchanges so far. */
  get exchanges(): number {
    return this.#exchanges.count;
  }

  /** The first session. Throws an environment error when the key is refused. */
  creation(): Promise<Creation> {
    return (this.#creation ??= this.#first());
  }

  /** The first message: a code to remember, and a tag to repeat at once. */
  opening(): Promise<Opening> {
    return (this.#opening ??= this.#open());
  }

  /** The second message: which code was it? */
  recalled(): Promise<Answer> {
    return (this.#recalled ??= this.opening().then(({ sessionId }) => this.say(sessionId, this.subject.words.recall)));
  }

  async sessionId(): Promise<string> {
    return idOf(await this.creation());
  }

  /** A session of its own for a rule. */
  async newSession(): Promise<string> {
    await this.requireAnswer();
    return idOf(await this.create());
  }

  /** The replies to the first two messages. */
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
    const answer = await this.#exchanges.exchange({ ...this.subject.creation(agentId), key: 'good' });
    const fields = fieldsOf(answer);
    const found = isAnswered(answer) && fields ? judgeCreation(this.subject.sessionIdFrom)(fields) : undefined;
    return { answer, sessionId: found && 'reply' in found ? found.reply.id : undefined };
  }

  /** Says something in a session; a field of `over` that is `undefined` is left out. */
  say(sessionId: string, message: string, over: Fields = {}): Promise<Answer> {
    return this.send({ sessionId, message, ...over });
  }

  /** Sends a message with these fields over the usual ones. */
  send(fields: Fields, key: KeyUsed = 'good'): Promise<Answer> {
    const { agentId, values: variableValues } = this.subject;
    const body = JSON.stringify({ agentId, variableValues, ...fields });
    return this.#exchanges.exchange({ route: messageRoute, key, body });
  }

  async #first(): Promise<Creation> {
    const creation = await this.create();
    const { answer, sessionId } = creation;
    acceptKey(answer);
    if (sessionId === undefined) this.refusal = refusedCreation(answer, this.subject.sessionIdFrom);
    return creation;
  }

  async #open(): Promise<Opening> {
    const sessionId = await this.sessionId();
    const [code, tag] = [this.subject.newCode(), this.subject.newCode()];
    const answer = await this.say(sessionId, `${this.subject.words.remember(code)}\n${questions.echo(tag)}`);
    acceptKey(answer);
    if (!isAnswered(answer)) this.refusal = refusedMessage(answer, sessionId);
    return { sessionId, code, obeys: holds(replyText(answer), tag), answer };
  }
}

function idOf({ answer, sessionId }: Creation): string {
  if (sessionId === undefined) throw new Skipped(`no session could be created: ${describeAnswer(answer)}`);
  return sessionId;
}

/** The service under check: how to talk to it, and what it takes to try the rules that need something. */
export interface Subject {
  agentId: string;
  /** The request that creates a session with an agent. */
  creation: (agentId: string) => ChatRequest;
  /** Where the session id is found in the reply, as a dotted path. */
  sessionIdFrom: string;
  /** An agent of the account with chat turned off. */
  chatOffAgentId: string | undefined;
  hasWrongKindKey: boolean;
  /** Requests carry nothing that authorizes. */
  isOpen?: boolean;
  /** A variable that the agent's instructions reference, with a telling value. */
  variable: { name: string; value: string } | undefined;
  /** What every message brings as `variableValues`, unless a rule says otherwise. */
  values: Readonly<Record<string, unknown>>;
  words: Words;
  /** Returns a new word: letters and digits only. */
  newCode: () => string;
}

function refusedCreation(answer: Answer, sessionIdFrom: string): Refusal {
  return {
    operation: 'create',
    outcome: classOf(answer, creationRules(sessionIdFrom)),
  };
}

/** Every success status is an answer: other rules judge whether the reply keeps the contract. */
function refusedMessage(answer: Answer, sessionId: string): Refusal {
  return {
    operation: 'message',
    outcome: classOf(answer, { ...messageRules, welcome: [] }, sessionId),
  };
}

function classOf(answer: Answer, rules: WholeRules, sessionId?: string): FinishedClass {
  const { outcome } = classifyWhole({ ...answer, isUtf8: true }, rules, sessionId);
  return outcome === 'aborted' ? 'connection_lost' : outcome;
}
