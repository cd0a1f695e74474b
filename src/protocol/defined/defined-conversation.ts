import { chatRequest } from '../chat-request.ts';
import { isObject } from '../../base/is-object.ts';
import type {
  ChatRequest,
  Conversation,
  HeaderFields,
  Poll,
  Received,
  Reply,
  Route,
  Said,
  Verdict,
} from '../protocol.ts';
import { AuthorError, scenarioError } from './author-error.ts';
import { jsonIn, refused } from '../classify-whole.ts';
import type { ComposeMessage } from './compose-message.ts';
import { mergeCookies, withoutField } from './header-fields.ts';
import { DefinedStream } from './defined-stream.ts';
import type { MessageParts, SaidMessage } from './definition.ts';
import type { Instructions } from '../instructions.ts';
import { judgeResponse } from './judge-response.ts';
import type { Poller } from './poller.ts';
import type { ReadError } from './read-error.ts';
import type { ReadReply } from './read-reply.ts';
import type { Routes } from './routes.ts';

/** What all conversations with a target share. */
export interface Shared {
  agentId: string;
  stream: boolean;
  keepsHistory: boolean;
  compose: ComposeMessage;
  routes: Routes;
  instructions: Instructions;
  /** `undefined`: the API only streams. */
  readReply: ((body: unknown) => ReadReply) | undefined;
  readError: ReadError;
  poller: Poller | undefined;
}

/** A conversation as its definition says. A class, since there may be a hundred thousand of them at a time. */
export class DefinedConversation implements Conversation {
  readonly sessionId: string;
  readonly poll?: (received: Received) => Poll | undefined;
  readonly #shared: Shared;
  /** As the latest reply told it. */
  #toldId: string;
  #cookies: string;
  #turn = 0;
  /** What was said and answered. */
  #kept: readonly SaidMessage[] = [];
  /** The same with what the latest request says. */
  #saying: readonly SaidMessage[] = [];
  #route: Route | undefined;
  /** Where the attempt under way asks for its answer. */
  #pollPath: string | undefined;

  constructor(shared: Shared, sessionId: string, cookies: string) {
    this.sessionId = sessionId;
    this.#toldId = sessionId;
    this.#shared = shared;
    this.#cookies = cookies;
    const { poller } = shared;
    if (poller !== undefined) this.poll = (received) => this.#pollAfter(received, poller);
  }

  request(said: Said): ChatRequest {
    const { compose, routes } = this.#shared;
    const turn = said.turn ?? ++this.#turn;
    this.#saying = this.#with(said);
    try {
      const { path, headers, body } = compose(this.#partsOf(said, turn));
      this.#route = routes.to(path, withCookies(headers, this.#cookies), this.#route);
      return chatRequest(this.#route, body);
    } catch (thrown) {
      throw thrown instanceof AuthorError ? scenarioError(thrown, wordTurn(said.session, turn)) : thrown;
    }
  }

  read(received: Received): Verdict {
    this.#pollPath = undefined;
    this.#cookies = mergeCookies(this.#cookies, received.headers);
    const { stream } = received;
    if (!(stream instanceof DefinedStream)) return this.#readWhole(received);
    const verdict = stream.conclude(received);
    if (verdict.outcome === 'ok') this.#toldId = stream.sessionId ?? this.#toldId;
    return verdict;
  }

  replied({ text, toolCalls }: Reply): void {
    if (!this.#shared.keepsHistory) return;
    const answer = { role: 'assistant', content: text } as const;
    this.#kept = [...this.#saying, toolCalls === undefined ? answer : { ...answer, toolCalls }];
  }

  left(text: string): void {
    if (text !== '') this.replied({ text, id: undefined, data: undefined });
  }

  #with({ message, toolResults }: Said): readonly SaidMessage[] {
    if (toolResults === undefined) return [...this.#kept.map(withoutCallsIfLast), { role: 'user', content: message }];
    const results = toolResults.map(
      ({ id, name, content }) => ({ role: 'tool', content, toolCallId: id, name }) as const,
    );
    return [...this.#kept, ...results];
  }

  #partsOf(said: Said, turn: number): MessageParts {
    const { message, variableValues, toolResults } = said;
    const { agentId, stream, instructions } = this.#shared;
    const variables = variableValues === '' ? {} : jsonIn(variableValues);
    return {
      agentId,
      sessionId: this.#toldId,
      turn,
      message,
      messages: this.#saying,
      toolResults: toolResults ?? [],
      variables: isObject(variables) ? variables : {},
      instructions: instructions(said),
      stream,
    };
  }

  #readWhole(received: Received): Verdict {
    const { readError, readReply, poller, stream } = this.#shared;
    const judge = stream || readReply === undefined ? isWholeReply : (body: unknown) => this.#judge(readReply(body));
    const pending = (body: unknown): Verdict | undefined =>
      poller?.isPending(received.status, body) === true ? lacksUrl(poller, body, received) : undefined;
    return judgeResponse(received, { readError, needsJson: true, pending, judge });
  }

  /** What to ask next; `undefined` also where it is not known where to ask, which the verdict says. */
  #pollAfter(received: Received, poller: Poller): Poll | undefined {
    this.#cookies = mergeCookies(this.#cookies, received.headers);
    try {
      const body = jsonIn(received.body);
      if (this.#shared.readError(received.status, body) !== undefined) return undefined;
      if (!poller.isPending(received.status, body)) return undefined;
      const found = poller.pathIn(body, received.headers);
      if ('path' in found) this.#pollPath = found.path;
      return this.#pollPath === undefined ? undefined : this.#pollAt(this.#pollPath, poller);
    } catch (thrown) {
      if (thrown instanceof AuthorError) return undefined;
      throw thrown;
    }
  }

  #pollAt(path: string, { everyMs, routes }: Poller): Poll {
    const sent = withCookies(withoutField(this.#route?.headers ?? {}, 'content-type'), this.#cookies);
    return { request: { route: routes.to(path, sent, undefined), body: '' }, afterMs: everyMs };
  }

  #judge(read: ReadReply): Verdict {
    if ('broken' in read) return refused('contract_broken', read.broken);
    this.#toldId = read.sessionId ?? this.#toldId;
    return { outcome: 'ok', detail: '', reply: read.reply };
  }
}

const withCookies = (headers: HeaderFields, cookies: string): HeaderFields =>
  cookies === '' ? headers : { ...withoutField(headers, 'cookie'), Cookie: cookies };

function lacksUrl(poller: Poller, body: unknown, { headers }: Received): Verdict {
  const found = poller.pathIn(body, headers);
  return refused('contract_broken', `no status URL${'missing' in found ? found.missing : ''}`);
}

const isWholeReply = (): Verdict => refused('contract_broken', 'a whole JSON reply where a stream was asked for');

/** A conversation in which another message follows a call whose results were not given has no such call. */
function withoutCallsIfLast(said: SaidMessage, index: number, all: readonly SaidMessage[]): SaidMessage {
  return said.role === 'assistant' && index === all.length - 1 ? { role: 'assistant', content: said.content } : said;
}

const wordTurn = (session: number | undefined, turn: number): string =>
  session === undefined ? ` in turn ${String(turn)}` : ` in session ${String(session)}, turn ${String(turn)}`;
