import { isObject } from '../../base/is-object.ts';
import type { Fields } from '../model-api/read-reply.ts';
import { Notes } from '../notes.ts';
import { CallParts } from '../openai-chat/call-parts.ts';
import type { EventContent } from '../protocol.ts';
import { isReasoning, reasonIn, textIn } from './read-message.ts';

/** The latest message of a model in a stream, from its tokens, or from its states so far. */
export class StreamedMessage {
  text = '';
  /** True if the last event states the end of the message. */
  hasEnded = false;
  #id = '';
  #latest: Fields | undefined;
  #calls: CallParts | undefined;

  /** Adds a token. Returns its content; `undefined` if it cannot be read. */
  add(token: Fields): EventContent | undefined {
    const { content, tool_call_chunks: parts } = token;
    const text = textIn(content);
    if (text === undefined) return undefined;
    this.#begin(token);
    this.text += text;
    const hasCalls = Array.isArray(parts) && parts.length > 0;
    if (hasCalls) (this.#calls ??= new CallParts(new Notes())).take(parts.map(partOf));
    return text !== '' || hasCalls ? 'content' : isReasoning(token) ? 'reasoning' : 'other';
  }

  /** Takes the message so far. Returns the content that is new; `undefined` if it cannot be read. */
  replace(message: Fields): EventContent | undefined {
    const text = textIn(message['content']);
    if (text === undefined) return undefined;
    this.#begin(message);
    const isNew = text !== this.text;
    this.text = text;
    return isNew ? 'content' : 'other';
  }

  /** Returns the message as a state has it; `undefined` before the first one. */
  whole(): Fields | undefined {
    if (this.#latest === undefined) return undefined;
    const { tool_calls: calls } = this.#latest;
    const isListed = Array.isArray(calls) && calls.length > 0;
    const tool_calls = isListed ? calls : this.#calls?.whole().map(callOf);
    return { ...this.#latest, content: this.text, tool_calls };
  }

  /** Begins another message if the id is another one. Tokens without an id continue the latest message. */
  #begin(message: Fields): void {
    const { id } = message;
    if (typeof id === 'string' && id !== '' && id !== this.#id) {
      if (this.#id !== '') {
        this.text = '';
        this.#calls = undefined;
      }
      this.#id = id;
    }
    const reason = reasonIn(message);
    this.hasEnded = (typeof reason === 'string' && reason !== '') || message['chunk_position'] === 'last';
    this.#latest = message;
  }
}

const partOf = (part: unknown): unknown =>
  isObject(part)
    ? { index: part['index'], id: part['id'], function: { name: part['name'], arguments: part['args'] } }
    : {};

const callOf = (call: object): object => {
  const { id, function: named } = call as { id: string; function: { name: unknown; arguments: string } };
  return { id, name: named.name, args: named.arguments };
};
