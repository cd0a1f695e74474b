import { isObject } from '../../base/is-object.ts';
import type { Fields } from '../model-api/read-reply.ts';
import { addInput } from '../model-api/tool-input.ts';
import type { Notes } from '../notes.ts';

interface Item {
  readonly index: unknown;
  readonly isDone: boolean;
  readonly fields: Fields;
  /** Arguments in deltas. */
  json: string;
}

/** The items and parts that the events of one response announce, besides the text of its deltas. */
export class OutputItems {
  readonly #items: Item[] = [];
  #openItems = 0;
  #openParts = 0;
  /** Parts with text, by the item and the index of the part. */
  readonly #withText = new Set<string>();
  #latestItem: unknown;
  #latestPart: unknown;
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  begin(event: Fields): void {
    this.#openItems++;
    this.#put(event, false);
  }

  end(event: Fields): void {
    if (--this.#openItems < 0) this.#misplace();
    this.#put(event, true);
  }

  beginPart(): void {
    this.#openParts++;
  }

  endPart(): void {
    if (--this.#openParts < 0) this.#misplace();
  }

  /** Takes a delta of a text. */
  meetText({ output_index: item, content_index: part }: Fields): void {
    if (this.#openParts <= 0) this.#misplace();
    if (item === this.#latestItem && part === this.#latestPart && this.#withText.size > 0) return;
    [this.#latestItem, this.#latestPart] = [item, part];
    this.#withText.add(keyOf(item, part));
  }

  /** Reports whether the text of a part, which its end repeats, is that of a part without deltas. */
  isNew({ output_index: item, content_index: part }: Fields): boolean {
    const key = keyOf(item, part);
    const isKnown = this.#withText.has(key);
    this.#withText.add(key);
    return !isKnown;
  }

  /** Adds a part of arguments to the call of its item, else to the latest call. */
  addArguments({ output_index: index }: Fields, added: unknown): void {
    if (this.#openItems <= 0) this.#misplace();
    const item = this.#itemAt(index);
    if (item !== undefined) item.json = addInput(item.json, added, this.#notes);
  }

  /** Takes the whole arguments of a call, which are new only without deltas. */
  endArguments({ output_index: index, arguments: whole }: Fields): void {
    const item = this.#itemAt(index);
    if (item?.json === '') item.json = addInput('', whole, this.#notes);
  }

  /** Takes the end of the response. */
  close(): void {
    if (this.#openItems !== 0 || this.#openParts !== 0) this.#misplace();
  }

  /** Returns the items as the response at the end has them. */
  whole(): readonly Fields[] {
    return this.#items.map(({ fields, json }) =>
      json === '' || isStated(fields['arguments']) ? fields : { ...fields, arguments: json },
    );
  }

  #itemAt(index: unknown): Item | undefined {
    return this.#items.findLast((each) => each.index === index) ?? this.#items.at(-1);
  }

  #put({ output_index: index, item }: Fields, isDone: boolean): void {
    if (!isObject(item)) return;
    const at = this.#items.findIndex((each) => !each.isDone && each.index === index);
    const put = { index, isDone, fields: item, json: this.#items[at]?.json ?? '' };
    if (at === -1) this.#items.push(put);
    else this.#items[at] = put;
  }

  #misplace(): void {
    this.#notes.add('block_order');
  }
}

const isStated = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

const keyOf = (item: unknown, part: unknown): string => `${String(item)} ${String(part)}`;
