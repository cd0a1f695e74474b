import { isObject } from '../../base/is-object.ts';
import { broken } from '../classify-whole.ts';
import type { Fields } from '../model-api/read-reply.ts';
import { ReplyText } from '../model-api/repeated-event.ts';
import type { Notes } from '../notes.ts';
import type { EventContent, Verdict } from '../protocol.ts';

/** The text of a response, whose parts are sent as deltas, and again as a whole at the end of the part and of the response. */
export class PartsText {
  readonly replyText = new ReplyText();
  readonly #notes: Notes;
  /** The part of the last delta. */
  #part = '';
  #start = 0;
  /** Parts with text. */
  readonly #seen = new Set<string>();

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  add(event: Fields): EventContent | Verdict {
    const { delta = '' } = event;
    if (delta !== null && typeof delta !== 'string') return broken('a delta that is not a text');
    if (delta === null || delta === '') return 'other';
    this.#begin(partOf(event));
    this.replyText.add(delta);
    return 'content';
  }

  /** Takes the whole text of a part, and adds what no delta had. */
  complete(event: Fields, text: unknown): EventContent {
    const part = partOf(event);
    if (typeof text !== 'string' || (this.#seen.has(part) && part !== this.#part)) return 'other';
    this.#begin(part);
    return this.#addRest(this.replyText.text.slice(this.#start), text);
  }

  /** Takes the whole text of the response. */
  completeAll(text: string): EventContent {
    return this.#addRest(this.replyText.text, text);
  }

  #addRest(sent: string, text: string): EventContent {
    if (text.length <= sent.length || !text.startsWith(sent)) return 'other';
    this.#notes.add('late_text', sent === '' ? 'all of it' : 'a part of it');
    this.replyText.add(text.slice(sent.length));
    return 'content';
  }

  #begin(part: string): void {
    if (this.#seen.has(part) && part === this.#part) return;
    this.#part = part;
    this.#start = this.replyText.text.length;
    this.#seen.add(part);
  }
}

/** Returns the identity of a part of the content of an item. */
const partOf = ({ item_id: item, content_index: index }: Fields): string => `${String(item)} ${String(index)}`;

/** Returns the text of items: that of the contents of messages. */
export function textOfItems(items: readonly Fields[]): string {
  return items
    .filter(({ type }) => type === undefined || type === 'message')
    .flatMap(({ content }): readonly unknown[] => (Array.isArray(content) ? content : []))
    .map((part) => (isObject(part) ? (part['text'] ?? part['transcript']) : part))
    .filter((text) => typeof text === 'string')
    .join('');
}
