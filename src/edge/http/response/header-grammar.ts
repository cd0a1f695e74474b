/**
 * Characters of a response head, as in llhttp's strict mode (RFC 9110, section 5.6.2 and 5.5). Tables for reading bytes,
 * expressions for lines that were decoded as latin1: both are built from the same two classes.
 */
const tokenClass = "!#$%&'*+\\-.^_`|~0-9A-Za-z";
const valueClass = '\\t\\x20-\\x7e\\x80-\\xff';

const byteTable = (characters: string): Uint8Array => {
  const member = new RegExp(`[${characters}]`);
  return Uint8Array.from({ length: 256 }, (_, byte) => (member.test(String.fromCharCode(byte)) ? 1 : 0));
};

/** 1 for a byte allowed in a header's name. */
export const isTokenByte = byteTable(tokenClass);
/** 1 for a byte allowed in a header's value. */
export const isValueByte = byteTable(valueClass);

/** Version, status. The reason may contain anything except a line break. */
export const statusLine = /^HTTP\/(0\.9|1\.0|1\.1|2\.0) (\d{3})(?: .*)?$/s;

/** Name, and value with the white space around it. White space after the name is ignored, as by a proxy (RFC 9112, 5.1). */
export const headerLine = new RegExp(`^([${tokenClass}]+)[ \\t]*:([${valueClass}]*)$`);

/** Continuation of the value in the line before: obsolete, but to be read (RFC 9112, 5.2). */
export const foldedLine = new RegExp(`^[ \\t][${valueClass}]*$`);

const quotedString = '"(?:[\\t\\x20\\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t\\x20-\\x7e\\x80-\\xff])*"';
const chunkExtension = `;(?:[${tokenClass}]+|(?=[=;]))(?:=[${tokenClass}]*(?:${quotedString})?)?`;

/** Size in hexadecimal digits; extensions are checked and ignored, white space after each part too. */
export const chunkSizeLine = new RegExp(`^([0-9A-Fa-f]+)[ \\t]*(?:${chunkExtension}[ \\t]*)*$`);

const lineFeed = 10;

/**
 * Reads one line at a time from blocks of bytes. A line ends with CR LF and contains neither elsewhere. The outcome does
 * not depend on how the stream was cut, and a fault is reported at the byte that causes it.
 */
export class LineReader {
  /** The received part of the line, line break included. Decoded as latin1: one character per byte. */
  text = '';
  isComplete = false;
  fault: string | undefined;

  get line(): string {
    return this.text.slice(0, -2);
  }

  /** Reads from `at` to the end of the line or of the bytes, at `to`, and returns that position; `maxBytes` limits the line. */
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
