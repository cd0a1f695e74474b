const lineFeed = 10;

/**
 * Takes one line at a time out of pieces of bytes. A line ends with CR LF and holds neither elsewhere. The outcome does
 * not depend on how the stream was cut, and a fault is reported at the byte that causes it.
 */
export class LineReader {
  /** The line as far as it has come, line break included. Decoded as latin1: one character a byte. */
  text = '';
  isComplete = false;
  /** What is wrong with the line, in words. */
  fault: string | undefined;

  /** The completed line without its line break. */
  get line(): string {
    return this.text.slice(0, -2);
  }

  /** Reads from `at` to the end of the line or of the bytes, which is at `to`, and gives the place behind; `maxBytes` is for the whole line. */
  take(bytes: Buffer, at: number, { end: to, maxBytes }: { end: number; maxBytes: number }): number {
    const lineBreak = bytes.indexOf(lineFeed, at);
    this.isComplete = lineBreak !== -1 && lineBreak < to;
    const end = this.isComplete ? lineBreak + 1 : to;
    const lookFrom = Math.max(0, this.text.length - 1);
    this.text += bytes.toString('latin1', at, end);
    this.fault = this.text.length > maxBytes ? 'too long' : this.#lineBreakFault(this.text.indexOf('\r', lookFrom));
    return end;
  }

  clear(): void {
    this.text = '';
    this.isComplete = false;
    this.fault = undefined;
  }

  #lineBreakFault(firstReturn: number): string | undefined {
    if (firstReturn === -1) return this.isComplete ? 'a line ends with LF only' : undefined;
    const isAtEnd = firstReturn === this.text.length - (this.isComplete ? 2 : 1);
    return isAtEnd ? undefined : 'a CR has no LF after it';
  }
}
