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
  TurnContent,
  Verdict,
} from '../protocol.ts';
import { AuthorError, scenarioError } from './author-error.ts';
import { broken, jsonIn } from '../classify-whole.ts';
import type { ComposeMessage } from './compose-message.ts';
import { mergeCookies, withoutField } from './header-fields.ts';
import { DefinedStream } from './defined-stream.ts';
import type { MessageParts, ConversationMessage } from './definition.ts';
import type { Instructions } from '../instructions.ts';
import { judgeResponse, type ReadError } from './judge-response.ts';
import type { Poller, Routes } from './poller.ts';
import type { ReadReply } from './read-reply.ts';

/** The shared part of all conversations with a target. */
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

/** A conversation by its definition. A class, because a hundred thousand instances may exist at the same time. */
export class DefinedConversation implements Conversation {
  readonly sessionId: string;
  readonly poll?: (received: Received) => Poll | undefined;
  readonly #shared: Shared;
  /** Session id of the latest reply. */
  #latestId: string;
  #cookies: string;
  #turn = 0;
  /** The answered messages. */
  #kept: readonly ConversationMessage[] = [];
  /** The answered messages and the latest one. */
  #saying: readonly ConversationMessage[] = [];
  #route: Route | undefined;
  /** Path of polls of the current attempt. */
  #pollPath: string | undefined;

  constructor(shared: Shared, sessionId: string, cookies: string) {
    this.sessionId = sessionId;
    this.#latestId = sessionId;
    this.#shared = shared;
    this.#cookies = cookies;
    const { poller } = shared;
    if (poller !== undefined) this.poll = (received) => this.#pollAfter(received, poller);
  }

  request(turnContent: TurnContent): ChatRequest {
    const { compose, routes } = this.#shared;
    const turn = turnContent.turn ?? ++this.#turn;
    this.#saying = this.#with(turnContent);
    try {
      const { path, headers, body } = compose(this.#partsOf(turnContent, turn));
      this.#route = routes.to(path, withCookies(headers, this.#cookies), this.#route);
      return chatRequest(this.#route, body);
    } catch (thrown) {
      throw thrown instanceof AuthorError ? scenarioError(thrown, describeTurn(turnContent.session, turn)) : thrown;
    }
  }

  read(received: Received): Verdict {
    this.#pollPath = undefined;
    this.#cookies = mergeCookies(this.#cookies, received.headers);
    const { stream } = received;
    if (!(stream instanceof DefinedStream)) return this.#readWhole(received);
    const verdict = stream.conclude(received);
    if (verdict.outcome === 'ok') this.#latestId = stream.sessionId ?? this.#latestId;
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

  #with({ message, toolResults }: TurnContent): readonly ConversationMessage[] {
    if (toolResults === undefined) return [...this.#kept.map(withoutCallsIfLast), { role: 'user', content: message }];
    const results = toolResults.map(
      ({ id, name, content }) => ({ role: 'tool', content, toolCallId: id, name }) as const,
    );
    return [...this.#kept, ...results];
  }

  #partsOf(turnContent: TurnContent, turn: number): MessageParts {
    const { message, variableValues, toolResults } = turnContent;
    const { agentId, stream, instructions } = this.#shared;
    const variables = variableValues === '' ? {} : jsonIn(variableValues);
    return {
      agentId,
      sessionId: this.#latestId,
      turn,
      message,
      messages: this.#saying,
      toolResults: toolResults ?? [],
      variables: isObject(variables) ? variables : {},
      instructions: instructions(turnContent),
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

  /** Returns the next poll; `undefined` also if its path is unknown, which the verdict reports. */
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
    if ('broken' in read) return broken(read.broken);
    this.#latestId = read.sessionId ?? this.#latestId;
    return { outcome: 'ok', detail: '', reply: read.reply };
  }
}

const withCookies = (headers: HeaderFields, cookies: string): HeaderFields =>
  cookies === '' ? headers : { ...withoutField(headers, 'cookie'), Cookie: cookies };

function lacksUrl(poller: Poller, body: unknown, { headers }: Received): Verdict {
  const found = poller.pathIn(body, headers);
  return broken(`no status URL${'missing' in found ? found.missing : ''}`);
}

const isWholeReply = (): Verdict => broken('a non-streamed JSON reply instead of the requested stream');

/** Omits tool calls of the latest reply, because another message follows instead of their results. */
function withoutCallsIfLast(
  message: ConversationMessage,
  index: number,
  all: readonly ConversationMessage[],
): ConversationMessage {
  return message.role === 'assistant' && index === all.length - 1
    ? { role: 'assistant', content: message.content }
    : message;
}

const describeTurn = (session: number | undefined, turn: number): string =>
  session === undefined ? ` in turn ${String(turn)}` : ` in session ${String(session)}, turn ${String(turn)}`;
