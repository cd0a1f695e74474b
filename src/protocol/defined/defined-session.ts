import { chatRequest } from '../chat-request.ts';
import { broken, refused } from '../classify-whole.ts';
import { ms } from '../../base/time.ts';
import type {
  ChatApi,
  ChatRequest,
  Conversation,
  HeaderFields,
  OwnSession,
  Poll,
  ProtocolTarget,
  Received,
  SessionCreation,
  SocketObserver,
  Verdict,
} from '../protocol.ts';
import { AuthorError, callAuthor } from './author-error.ts';
import { bodyText, checkPath, fillNames, fillPath, headersOf } from './compose-message.ts';
import { DefinedConversation, type Shared } from './defined-conversation.ts';
import type { CreationDefinition, CreationParts } from './definition.ts';
import { jsonFields, keepCredentials, mergeCookies, wantedHeaders, withCookies, withFields } from './header-fields.ts';
import { judgeResponse, type ReadError } from './judge-response.ts';
import { Routes } from './poller.ts';
import { idReader, type IdReader } from './read-reply.ts';

/** The creation of sessions with state of their own, for all sessions of a target. */
export interface SessionRules {
  shared: Shared;
  steps: readonly Step[];
  /** Text of the id that the client chooses; `undefined`: the service does. */
  chosenId: string | undefined;
  /** True if a header that authorizes contains the id, which is then shown nowhere. */
  hidesId: boolean;
  agentId: ProtocolTarget['agentId'];
  readError: ReadError;
}

/** One request of a creation. */
export interface Step {
  definition: CreationDefinition;
  routes: Routes;
  readId: IdReader | undefined;
  readValues: readonly (readonly [name: string, read: IdReader])[];
  needsJson: boolean;
}

export function stepOf(definition: CreationDefinition, cookies: boolean | undefined): Step {
  const { method = 'POST', sessionId, values = {} } = definition;
  const places = Object.entries(values);
  const wanted = wantedHeaders(cookies, sessionId, ...Object.values(values));
  return {
    definition,
    routes: new Routes({ operation: 'create', method, wantedHeaders: wanted }),
    readId: sessionId === undefined ? undefined : idReader('createSession.sessionId', sessionId),
    readValues: places.map(([name, place]) => [name, idReader(`createSession.values.${name}`, place)] as const),
    needsJson: [sessionId, ...Object.values(values)].some((place) => place !== undefined && !isHeader(place)),
  };
}

const isHeader = (place: unknown): boolean => typeof place === 'object';

/** Content of the replies of a creation so far. */
interface Created {
  sessionId: string;
  values: Record<string, string>;
  replies: unknown[];
  cookies: string;
}

/** A session whose creation has several requests, whose values are sent again, or whose id the client chooses. */
export class DefinedSession implements ChatApi {
  readonly creation: SessionCreation | undefined;
  readonly #rules: SessionRules;
  readonly #number: number;
  readonly #own: OwnSession & { observer: SocketObserver };
  readonly #chosenId: string;
  /** Number of steps that have been answered. */
  #answered = 0;
  #created: Created;
  /** The problem with the next request, which could not be made. */
  #problem: Verdict | undefined;

  /** Throws `AuthorError` if the first request cannot be made. */
  constructor(rules: SessionRules, number: number, own: OwnSession & { observer: SocketObserver }) {
    this.#rules = rules;
    this.#number = number;
    this.#own = own;
    this.#chosenId = chooseId(rules.chosenId ?? '', number, own);
    this.#created = this.#nothing();
    const [first] = rules.steps;
    if (first === undefined) return;
    this.creation = {
      request: this.#requestOf(first),
      read: (received) => this.#conclude(received),
      ...(rules.steps.length > 1 && { poll: (received: Received) => this.#next(received) }),
    };
  }

  converse(sessionId: string): Conversation {
    const { sessionId: known, values, cookies } = this.#created;
    const id = known === '' ? sessionId : known;
    const { keepSecret, observer } = this.#own;
    return new DefinedConversation(this.#rules.shared, id, cookies, { values, keepSecret, observer });
  }

  #nothing(): Created {
    return { sessionId: this.#chosenId, values: {}, replies: [], cookies: '' };
  }

  #requestOf({ definition, routes }: Step): ChatRequest {
    const { path, headers = {}, body = {}, method } = definition;
    const { sessionId, values, replies, cookies } = this.#created;
    const parts: CreationParts = { agentId: this.#rules.agentId, session: this.#number, sessionId, values, replies };
    const to =
      typeof path === 'string'
        ? fillPath(path, parts)
        : checkPath(
            'createSession.path',
            callAuthor('createSession.path', () => path(parts)),
          );
    const own = headersOf('createSession.headers', headers, parts, ['authorization']);
    keepCredentials(own, this.#own.keepSecret);
    const made = typeof body === 'function' ? callAuthor('createSession.body', () => body(parts)) : body;
    const route = routes.to(to, withCookies(withFields(jsonFields, own), cookies), undefined);
    return chatRequest(route, method === 'GET' ? '' : bodyText('createSession.body', made));
  }

  /** Returns the request after a reply; `undefined` after the last one, and after a failure, which the verdict reports. */
  #next(received: Received): Poll | undefined {
    const step = this.#rules.steps[this.#answered];
    const following = this.#rules.steps[this.#answered + 1];
    if (step === undefined || following === undefined) return undefined;
    if (this.#judge(step, received).outcome !== 'ok') return undefined;
    this.#answered++;
    try {
      return { request: this.#requestOf(following), afterMs: ms(0) };
    } catch (thrown) {
      if (!(thrown instanceof AuthorError)) throw thrown;
      this.#problem = broken(thrown.message);
      return undefined;
    }
  }

  /** Judges the latest reply of an attempt; another attempt begins with the first step. */
  #conclude(received: Received): Verdict {
    const { steps, hidesId } = this.#rules;
    const number = this.#answered + 1;
    const step = steps[this.#answered];
    const verdict = this.#problem ?? (step === undefined ? broken('no request') : this.#judge(step, received));
    this.#answered = 0;
    this.#problem = undefined;
    const created = this.#created;
    if (verdict.outcome !== 'ok') {
      this.#created = this.#nothing();
      return steps.length === 1
        ? verdict
        : { ...verdict, detail: `${verdict.detail} (request ${String(number)} of createSession)` };
    }
    this.#created = { ...created, replies: [] };
    const id = hidesId ? undefined : created.sessionId || created.cookies;
    return { outcome: 'ok', detail: '', reply: { text: '', id, data: created.replies.at(-1) } };
  }

  /** Judges a reply, and takes its values. */
  #judge(step: Step, received: Received): Verdict {
    const { readError } = this.#rules;
    const judge = (body: unknown): Verdict => this.#take(step, body, received.headers);
    return judgeResponse(received, { readError, needsJson: step.needsJson, judge });
  }

  #take({ readId, readValues }: Step, body: unknown, headers: HeaderFields | undefined): Verdict {
    const id = readId?.(body, headers) ?? this.#created.sessionId;
    if (typeof id !== 'string') return refused('contract_broken', `no session id${id.missing}`);
    const values = { ...this.#created.values };
    for (const [name, read] of readValues) {
      const value = read(body, headers);
      if (typeof value !== 'string') return refused('contract_broken', `no value ${name}${value.missing}`);
      values[name] = value;
    }
    const cookies = mergeCookies(this.#created.cookies, headers);
    this.#created = { sessionId: id, values, replies: [...this.#created.replies, body], cookies };
    return { outcome: 'ok', detail: '', reply: undefined };
  }
}

/** Returns the id that the client chooses; '' for none. */
const chooseId = (text: string, number: number, own: OwnSession): string =>
  fillNames(text, (name) => (name === 'uuid' ? own.uuid() : name === 'run.id' ? own.runId : String(number)));
