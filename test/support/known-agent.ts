import { randomUUID } from 'node:crypto';
import { ModelClient, type ModelReply, type ModelUsage } from './model-client.ts';
import { openPlainServer, type PlainHeaders, type PlainRequest, type PlainResponse } from './plain-http.ts';

/** A model call in the ledger of an agent; instants by its own clock, in milliseconds. */
export interface LedgerCall {
  begunAt: number;
  endedAt: number;
  /** First content of a streamed reply. */
  firstAt: number | undefined;
  /** 0 without a response. */
  status: number;
  /** True for a conforming reply up to its end. */
  isComplete: boolean;
  isRepeat: boolean;
  usage: ModelUsage | undefined;
}

/** A received message, which is one attempt of a turn, or a creation. */
export interface LedgerTurn {
  text: string;
  isCreation: boolean;
  /** Number of times that this text has been received. */
  attempt: number;
  begunAt: number;
  /** Instant at which the reply was written; 0 before. */
  endedAt: number;
  /** Status that it was answered with; 0 if its user had left. */
  status: number;
  /** Instant at which its user left before the reply. */
  leftAt: number | undefined;
  calls: LedgerCall[];
}

/** Options of a call; further fields of the body are given with `body`. */
export interface CallOptions {
  path?: string;
  body?: Readonly<Record<string, unknown>> | string;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  onContent?: (text: string) => void;
  isRepeat?: boolean;
}

/** The turn that an agent's behavior answers. */
export interface AgentTurn {
  readonly text: string;
  readonly record: LedgerTurn;
  /** Aborts when the user leaves. */
  readonly left: AbortSignal;
  /** Calls the model and records the call. The default is a chat completion of the message, which differs from earlier ones. */
  call(options?: CallOptions): Promise<ModelReply>;
  /** Sends content to the user of a streamed reply. */
  say(text: string): void;
}

interface AgentReply {
  text: string;
  status?: number;
  /** Work after the reply. */
  after?: () => Promise<unknown>;
}
export type Behavior = (turn: AgentTurn) => Promise<AgentReply>;

interface AgentOptions {
  /** Returns the headers of a model call, from those of the user's request. */
  forward?: (headers: PlainHeaders) => Record<string, string>;
  /** Behavior at creations of sessions; without it, they make no call. */
  create?: Behavior;
}

/** Forwards the trace as an agent should. */
const forwardTrace = ({ traceparent }: PlainHeaders): Record<string, string> =>
  traceparent === undefined ? {} : { traceparent };

/** An agent under test on plain sockets: chat completions or chat messages in front, a ledger of its own, and known model calls. */
export class KnownAgent {
  baseUrl = '';
  /** Closes its server. */
  closeFront: () => void = () => undefined;
  /** Origin of the model service. */
  modelOrigin = '';
  /** All messages received, in order. */
  readonly turns: LedgerTurn[] = [];
  readonly creations: LedgerTurn[] = [];
  readonly #client = new ModelClient();
  readonly #behave: Behavior;
  readonly #options: AgentOptions;
  readonly #texts = new Map<string, number>();
  readonly #work = new Set<Promise<unknown>>();

  constructor(behave: Behavior, options: AgentOptions) {
    this.#behave = behave;
    this.#options = options;
  }

  /** All calls of turns, in the order of their messages. */
  get calls(): LedgerCall[] {
    return this.turns.flatMap(({ calls }) => calls);
  }

  /** Resolves when no call is open. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  close(): void {
    this.#client.close();
    this.closeFront();
  }

  readonly serve = (request: PlainRequest, response: PlainResponse): void => {
    const work = this.#answer(request, response).finally(() => this.#work.delete(work));
    this.#work.add(work);
  };

  async #answer(request: PlainRequest, response: PlainResponse): Promise<void> {
    const begunAt = performance.now();
    const left = new AbortController();
    const body = JSON.parse(request.text) as FrontBody;
    const message = body.message ?? body.messages?.findLast(({ role }) => role === 'user')?.content;
    const attempt = (this.#texts.get(message ?? '') ?? 0) + 1;
    this.#texts.set(message ?? '', attempt);
    const isCreation = message === undefined;
    const record: LedgerTurn = {
      text: message ?? '',
      isCreation,
      attempt,
      begunAt,
      endedAt: 0,
      status: 0,
      leftAt: undefined,
      calls: [],
    };
    (isCreation ? this.creations : this.turns).push(record);
    response.onGone = () => {
      record.leftAt = performance.now();
      left.abort();
    };
    const forwarded = (this.#options.forward ?? forwardTrace)(request.headers);
    const call = (options: CallOptions = {}): Promise<ModelReply> => this.#call(record, forwarded, options);
    const front = new Front(response, body);
    const behave = isCreation ? (this.#options.create ?? silent) : this.#behave;
    const say = (content: string): void => front.say(content);
    const reply = await behave({ text: record.text, record, left: left.signal, call, say });
    if (record.leftAt === undefined) {
      record.endedAt = performance.now();
      record.status = front.end(reply);
    }
    await reply.after?.();
  }

  async #call(record: LedgerTurn, forwarded: Record<string, string>, options: CallOptions): Promise<ModelReply> {
    const { path = '/v1/chat/completions', body = {}, headers = {}, isRepeat = false, signal, onContent } = options;
    const messages = [{ role: 'user', content: record.text }];
    // Calls of a turn differ by this field.
    const seed = record.calls.length;
    const sent = typeof body === 'string' ? body : { model: 'model-a', seed, messages, ...body };
    const entry: LedgerCall = {
      begunAt: performance.now(),
      endedAt: 0,
      firstAt: undefined,
      status: 0,
      isComplete: false,
      isRepeat,
      usage: undefined,
    };
    record.calls.push(entry);
    const reply = await this.#client.send(this.modelOrigin, {
      path,
      signal,
      body: sent,
      headers: { ...forwarded, ...headers },
      onContent: (text) => {
        entry.firstAt ??= performance.now();
        onContent?.(text);
      },
    });
    const { status, isComplete, usage } = reply;
    Object.assign(entry, { endedAt: performance.now(), status, isComplete, usage });
    return reply;
  }
}

const silent: Behavior = () => Promise.resolve({ text: '' });

/** Starts an agent. */
export async function startKnownAgent(behave: Behavior, options: AgentOptions = {}): Promise<KnownAgent> {
  const agent = new KnownAgent(behave, options);
  const { baseUrl, close } = await openPlainServer(agent.serve);
  agent.baseUrl = baseUrl;
  agent.closeFront = close;
  return agent;
}

/** Opens an agent for one test. */
export async function openAgent(behave: Behavior, options: AgentOptions = {}): Promise<KnownAgent> {
  const { onTestFinished } = await import('vitest');
  const agent = await startKnownAgent(behave, options);
  onTestFinished(() => agent.close());
  return agent;
}

interface FrontBody {
  stream?: boolean;
  messages?: { role: string; content: string }[];
  message?: string;
  sessionId?: string;
}

/** The reply to the user: of chat completions, streamed or not, or of a chat message. */
class Front {
  readonly #response: PlainResponse;
  readonly #body: FrontBody;
  readonly #id = `chatcmpl-${randomUUID()}`;

  constructor(response: PlainResponse, body: FrontBody) {
    this.#response = response;
    this.#body = body;
  }

  say(content: string): void {
    if (!this.#response.isBegun) this.#response.begin('text/event-stream');
    this.#write({ delta: { role: 'assistant', content }, finish_reason: null });
  }

  end({ text, status = 200 }: AgentReply): number {
    const { stream = false, messages } = this.#body;
    if (status !== 200) this.#json(status, { error: { message: text, type: 'server_error' }, success: false });
    else if (messages === undefined) this.#json(200, chatReply(this.#body, text));
    else if (!stream) {
      const message = { role: 'assistant', content: text };
      this.#json(200, {
        ...this.#completion('chat.completion'),
        choices: [{ index: 0, message, finish_reason: 'stop' }],
      });
    } else {
      if (text !== '') this.say(text);
      if (!this.#response.isBegun) this.#response.begin('text/event-stream');
      this.#write({ delta: {}, finish_reason: 'stop' });
      this.#response.write('data: [DONE]\n\n');
      this.#response.end();
    }
    return status;
  }

  #completion(object: string): object {
    return { id: this.#id, object, created: 1, model: 'agent' };
  }

  #write(choice: object): void {
    const chunk = { ...this.#completion('chat.completion.chunk'), choices: [{ index: 0, ...choice }] };
    this.#response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }

  #json(status: number, body: object): void {
    this.#response.whole(status, 'application/json', JSON.stringify(body));
  }
}

const dates = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };

function chatReply({ sessionId = randomUUID() }: FrontBody, response: string): object {
  return { success: true, data: { response, chatId: randomUUID(), sessionId, isSession: true, ...dates } };
}
