import { StringDecoder } from 'node:string_decoder';
import { isObject } from '../../base/is-object.ts';
import { jsonObjectIn } from '../../base/json.ts';
import type { ModelApiName } from '../../protocol/model-call.ts';
import type { Usage } from '../../protocol/protocol.ts';
import { anthropicUsage, latestUsage, openaiUsage } from '../../protocol/usage.ts';

/** Characters of a reply, or of one line of a stream, up to which it is read. */
const maxCharacters = 8 * 1024 * 1024;

/** Data with content, by API. */
const contents: Readonly<Record<ModelApiName, RegExp>> = {
  chat: /"(?:content|reasoning_content|arguments|name)"\s*:\s*"[^"]/,
  responses: /"type"\s*:\s*"response\.[a-z_]+\.delta"/,
  messages: /"type"\s*:\s*"content_block_delta"/,
  embeddings: /(?!)/,
};

/** Reads what a forwarded reply reports, next to its way to the client: first content, usage and model. */
export class ReplyReader {
  readonly #api: ModelApiName;
  readonly #isStream: boolean;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #hasContent = false;
  #usage: Usage | undefined;
  #model: string | undefined;

  constructor(api: ModelApiName, contentType: string) {
    this.#api = api;
    this.#isStream = contentType.includes('text/event-stream');
  }

  /** The last usage that was reported. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Model that the reply names. */
  get model(): string | undefined {
    return this.#model;
  }

  /** Reads a part of the reply; returns true if it has the first content of a stream. */
  read(chunk: Buffer): boolean {
    const hadContent = this.#hasContent;
    const text = this.#decoder.write(chunk);
    this.#rest += text;
    // Without a new end, the lines are not divided again: a long one would take quadratic time.
    if (this.#isStream && text.includes('\n')) {
      const lines = this.#rest.split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data:')) this.#readData(line);
    }
    if (this.#rest.length > maxCharacters) this.#rest = '';
    return this.#hasContent && !hadContent;
  }

  end(): void {
    if (!this.#isStream) this.#readJson(this.#rest);
    this.#rest = '';
  }

  #readData(line: string): void {
    this.#hasContent ||= contents[this.#api].test(line);
    if (this.#model === undefined || /"usage"\s*:\s*\{/.test(line)) this.#readJson(line.slice('data:'.length));
  }

  #readJson(text: string): void {
    const data = jsonObjectIn(text);
    if (data === undefined) return;
    for (const part of [data, data['message'], data['response']]) {
      if (!isObject(part)) continue;
      const { usage, model } = part;
      if (typeof model === 'string' && model !== '') this.#model = model;
      const read = this.#api === 'messages' ? anthropicUsage : openaiUsage;
      if (isObject(usage)) this.#usage = latestUsage(this.#usage, read(usage));
    }
  }
}
