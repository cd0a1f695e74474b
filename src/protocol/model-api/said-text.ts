import { GrowingBytes } from '../../base/growing-bytes.ts';

/**
 * What a reply says, put together from its pieces. Those that need no parsing are kept as bytes and decoded together:
 * with thousands of replies under way, strings that live until their end would cost pauses of the collector.
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

  /** Copies UTF-8, no character of it cut. */
  addBytes(bytes: Buffer, start: number, end: number): void {
    this.#undecoded.append(bytes, start, end);
  }
}
