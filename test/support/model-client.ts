import { PlainClient, type PlainHeaders } from './plain-http.ts';

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
  headers: PlainHeaders;
}

/** A client of chat completions with connections of its own, which it keeps open. */
export class ModelClient {
  readonly #client = new PlainClient();

  /** Sends a request; never rejects. */
  async send(origin: string, { path, body, headers, signal, onContent }: ModelRequest): Promise<ModelReply> {
    const seen = { status: 0, headers: {} as PlainHeaders, body: '' };
    const events = new EventReader(onContent);
    const isWhole = await this.#client.post(origin, {
      path,
      signal,
      headers: { 'content-type': 'application/json', ...headers },
      text: typeof body === 'string' ? body : JSON.stringify(body),
      onHead: (status, received) => Object.assign(seen, { status, headers: received }),
      onText: (text) => {
        if (isStream(seen)) events.take(text);
        else seen.body += text;
      },
    });
    const head = { status: seen.status, headers: seen.headers };
    if (isStream(seen)) return { ...events.reply(), isComplete: isWhole && events.reply().isComplete, ...head };
    const whole = isWhole && seen.status === 200 ? wholeReply(seen.body) : undefined;
    return { text: '', usage: undefined, ...whole, isComplete: whole !== undefined, ...head };
  }

  close(): void {
    this.#client.close();
  }
}

const isStream = ({ headers }: Pick<ModelReply, 'headers'>): boolean =>
  headers['content-type']?.includes('event-stream') === true;

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
  const { choices, usage, data } = readJson(body);
  const text = choices?.[0]?.message?.content;
  return data === undefined && text === undefined ? undefined : { text: text ?? '', usage: usageOf(usage) };
}

function readJson(body: string): Completion {
  try {
    return JSON.parse(body) as Completion;
  } catch {
    return {};
  }
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
