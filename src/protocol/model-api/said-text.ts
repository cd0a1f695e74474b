import { GrowingBytes } from '../../base/growing-bytes.ts';

/**
 * The text of a reply, joined from its events. Text that needs no parsing is kept as bytes and decoded together: with
 * thousands of replies in progress, strings that live until their end would cause pauses of the garbage collector.
 */
export class SaidText {
  #text = '';
  readonly #undecoded = new GrowingBytes();

  get text(): string {
    if (this.#undecoded.length > 0) {
      this.#text += this.#undecoded.text();
      this.#undecoded.free();
    }
    return this.#text;
  }

  add(text: string): void {
    if (text !== '') this.#text = this.text + text;
  }

  /** Copies UTF-8 of whole characters. */
  addBytes(bytes: Buffer, start: number, end: number): void {
    this.#undecoded.append(bytes, start, end);
  }
}
