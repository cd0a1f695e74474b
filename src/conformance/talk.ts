import { ms, type Ms } from '../base/time.ts';
import { judgeCreation } from '../protocol/judge-creation.ts';
import { messageRoute } from '../protocol/chat-messaging/chat-messaging.ts';
import { questions } from '../protocol/chat-messaging/questions.ts';
import { refusedKey } from '../protocol/refused-key.ts';
import { dataOf, describeAnswer, fieldsOf, isAnswered, isTransient, replyText, type Fields } from './answer.ts';
import type { Answer, Asked, KeyUsed, Post } from './post.ts';
import { refusedCreation, refusedMessage, type Refusal } from './refusal.ts';
import { Skipped } from './skipped.ts';
import type { Subject } from './subject.ts';

interface TalkEffects {
  post: Post;
  pause: (length: Ms) => Promise<void>;
  /** The least wait before every exchange. */
  pauseMs: Ms;
}

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
  /** What came back of messages, in order, that included which was sent again. */
  readonly answers: Answer[] = [];
  /** HTTP exchanges so far. */
  exchanges = 0;
  /** How the first session or the first message was refused; `undefined` where neither was. */
  refusal: Refusal | undefined;
  readonly #effects: TalkEffects;
  #retriesLeft = 10;
  #creation: Promise<Creation> | undefined;
  #opening: Promise<Opening> | undefined;
  #recalled: Promise<Answer> | undefined;

  constructor(subject: Subject, effects: TalkEffects) {
    this.subject = subject;
    this.#effects = effects;
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
    const answer = await this.#exchange({ ...this.subject.creation(agentId), key: 'good' });
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
    return this.#exchange({ route: messageRoute, key, body });
  }

  async #first(): Promise<Creation> {
    const creation = acceptKey(await this.create());
    const { answer, sessionId } = creation;
    if (sessionId === undefined) this.refusal = refusedCreation(answer, this.subject.sessionIdFrom);
    return creation;
  }

  async #open(): Promise<Opening> {
    const sessionId = await this.sessionId();
    const [code, tag] = [this.subject.newCode(), this.subject.newCode()];
    const answer = await this.say(sessionId, `${this.subject.words.remember(code)}\n${questions.echo(tag)}`);
    acceptKey({ answer });
    if (!isAnswered(answer)) this.refusal = refusedMessage(answer, sessionId);
    return { sessionId, code, obeys: holds(replyText(answer), tag), answer };
  }

  /** Retried where clients should, a limited number of times. */
  async #exchange(asked: Asked): Promise<Answer> {
    const { pause, pauseMs } = this.#effects;
    if (this.exchanges > 0) await pause(pauseMs);
    let answer = await this.#post(asked);
    for (let attempt = 1; attempt < mostAttempts && isTransient(answer) && this.#retriesLeft > 0; attempt++) {
      this.#retriesLeft--;
      await pause(ms(Math.max(pauseMs, firstBackoffMs * 2 ** (attempt - 1), retryAfterMs(answer))));
      answer = await this.#post(asked);
    }
    return answer;
  }

  async #post(asked: Asked): Promise<Answer> {
    this.exchanges++;
    const answer = await this.#effects.post(asked);
    if (asked.route.operation === 'message') this.answers.push(answer);
    return answer;
  }
}

/** Whether a text holds a word, whatever its case. */
export function holds(text: string | undefined, word: string): boolean {
  return text?.toLowerCase().includes(word.toLowerCase()) ?? false;
}

const mostAttempts = 3;
const firstBackoffMs = 250;
const longestRetryAfterMs = 60_000;

const retryAfterMs = ({ retryAfter }: Answer): number =>
  /^\d+$/.test(retryAfter) ? Math.min(Number(retryAfter) * 1000, longestRetryAfterMs) : 0;

function idOf({ answer, sessionId }: Creation): string {
  if (sessionId === undefined) throw new Skipped(`no session could be created: ${describeAnswer(answer)}`);
  return sessionId;
}

/** Only for the first creation and the first message: later ones had been accepted before. */
function acceptKey<T extends { answer: Answer }>(seen: T): T {
  const { status } = seen.answer;
  if (status !== 401 && status !== 403) return seen;
  throw refusedKey(String(status), 'no rule can be tried');
}
