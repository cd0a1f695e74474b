import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { jsonObjectIn } from '../../src/base/json.ts';

/** A request to a model service. */
export interface ModelRequest {
  path: string;
  /** The body: an object as JSON, a text as it is. */
  body: object | string;
  headers: Readonly<Record<string, string>>;
  /** Closes the connection. */
  signal?: AbortSignal | undefined;
  /** Called for each content of a streamed reply. */
  onContent?: ((text: string) => void) | undefined;
}

export interface ModelUsage {
  input: number;
  output: number;
  cached: number;
}

/** A reply of a model service, as its client sees it. */
export interface ModelReply {
  /** 0 without a response. */
  status: number;
  /** True for a conforming reply up to its end. */
  isComplete: boolean;
  text: string;
  usage: ModelUsage | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A client of chat completions with connections of its own, which it keeps open. */
export class ModelClient {
  readonly #connections = new Agent({ keepAlive: true, maxSockets: Infinity });

  /** Sends a request; never rejects. */
  async send(origin: string, { path, body, headers, signal, onContent }: ModelRequest): Promise<ModelReply> {
    const seen = { status: 0, headers: {} as ModelReply['headers'], body: '', isEnded: false };
    try {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const request = httpRequest(`${origin}${path}`, {
        method: 'POST',
        agent: this.#connections,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
        ...(signal && { signal }),
      });
      // A closed connection ends the response with its error, too.
      request.on('error', () => undefined).end(text);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      seen.status = response.statusCode ?? 0;
      seen.headers = response.headers;
      const events = new EventReader(onContent);
      const isStreamed = /event-stream/.test(response.headers['content-type'] ?? '');
      for await (const chunk of response.setEncoding('utf8')) {
        seen.body += String(chunk);
        if (isStreamed) events.take(String(chunk));
      }
      seen.isEnded = response.complete;
      if (isStreamed)
        return { ...events.reply(), isComplete: seen.isEnded && events.reply().isComplete, ...headOf(seen) };
    } catch {
      // The connection was lost or closed.
    }
    const whole = seen.isEnded && seen.status === 200 ? wholeReply(seen.body) : undefined;
    return { text: '', usage: undefined, ...whole, isComplete: whole !== undefined, ...headOf(seen) };
  }

  close(): void {
    this.#connections.destroy();
  }
}

const headOf = ({ status, headers }: Pick<ModelReply, 'status' | 'headers'>) => ({ status, headers });

interface Completion {
  choices?: { message?: { content?: string | null }; delta?: { content?: string | null } }[];
  usage?: {
    prompt_tokens: number;
    completion_tokens?: number;
    prompt_tokens_details?: { cached_tokens?: number };
  } | null;
  data?: unknown[];
  error?: unknown;
}

/** Returns the content of a completion or of embeddings; `undefined` for a body that is neither. */
function wholeReply(body: string): Pick<ModelReply, 'text' | 'usage'> | undefined {
  const { choices, usage, data } = (jsonObjectIn(body) ?? {}) as Completion;
  const text = choices?.[0]?.message?.content;
  return data === undefined && text === undefined ? undefined : { text: text ?? '', usage: usageOf(usage) };
}

function usageOf(usage: Completion['usage']): ModelUsage | undefined {
  if (usage == null) return undefined;
  const { prompt_tokens: input, completion_tokens: output = 0, prompt_tokens_details: details } = usage;
  return { input, output, cached: details?.cached_tokens ?? 0 };
}

/** Reads the events of a streamed completion. */
class EventReader {
  readonly #onContent: ((text: string) => void) | undefined;
  #rest = '';
  #text = '';
  #usage: ModelUsage | undefined;
  #isDone = false;
  #isFailed = false;

  constructor(onContent: ((text: string) => void) | undefined) {
    this.#onContent = onContent;
  }

  take(chunk: string): void {
    const events = (this.#rest + chunk).split('\n\n');
    this.#rest = events.pop() ?? '';
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data === '[DONE]') this.#isDone = true;
      else if (data !== undefined) this.#read(JSON.parse(data) as Completion);
    }
  }

  reply(): Pick<ModelReply, 'text' | 'usage' | 'isComplete'> {
    return { text: this.#text, usage: this.#usage, isComplete: this.#isDone && !this.#isFailed };
  }

  #read({ choices, usage, error }: Completion): void {
    if (error !== undefined) this.#isFailed = true;
    this.#usage = usageOf(usage) ?? this.#usage;
    const content = choices?.[0]?.delta?.content ?? '';
    if (content === '') return;
    this.#text += content;
    this.#onContent?.(content);
  }
}
