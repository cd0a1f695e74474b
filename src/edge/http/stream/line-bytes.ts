export const lineFeed = 10;
export const carriageReturn = 13;
const space = 32;
const colon = 58;
export const openBrace = 123;
const closeBrace = 125;
export const openBracket = 91;

export function holdsReturn(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > fewBytes) return bytes.subarray(start, end).includes(carriageReturn);
  for (let at = start; at < end; at++) if (bytes[at] === carriageReturn) return true;
  return false;
}

/** Up to this number of bytes a loop is faster than a call. */
const fewBytes = 512;

/** Returns the position of the next CR or LF, -1 if there is none before `end`. */
export function endOfLine(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === lineFeed || byte === carriageReturn) return at;
  }
  return -1;
}

/** Returns the position of the next LF: faster, for blocks without CR. */
export function endAtLineFeed(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] === lineFeed) return start;
  const at = bytes.indexOf(lineFeed, start);
  return at < end ? at : -1;
}

export function holdsText(bytes: Buffer, start: number, end: number, text: Buffer): boolean {
  if (end - start < text.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes[start + index] !== text[index]) return false;
  return true;
}

/** Reports whether a line is the field `name`: with a colon after the name, or the name alone. */
export function isField(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  if (!holdsText(bytes, start, end, name)) return false;
  const nameEnd = start + name.length;
  return nameEnd === end || bytes[nameEnd] === colon;
}

/** Returns the start of the value after a name that ends at `nameEnd`: after the colon and one space, if there are any. */
export function valueStart(bytes: Buffer, nameEnd: number, end: number): number {
  if (nameEnd >= end) return end;
  const at = nameEnd + 1;
  return at < end && bytes[at] === space ? at + 1 : at;
}

/** Reports whether the bytes are this ASCII text. */
export function isText(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (end - start !== text.length) return false;
  for (let index = 0; index < text.length; index++) if (bytes[start + index] !== text.charCodeAt(index)) return false;
  return true;
}

/** Reports whether a line is only the beginning of the name of a field. */
export function isCutField(bytes: Buffer, length: number, name: Buffer): boolean {
  return length > 0 && length < name.length && name.subarray(0, length).equals(bytes.subarray(0, length));
}

/** Reports whether a line ends as a JSON object does. */
export function isObjectEnd(bytes: Buffer, start: number, end: number): boolean {
  let last = end - 1;
  while (last >= start && isBlank(bytes[last])) last--;
  return last >= start && bytes[last] === closeBrace;
}

export function isBlank(byte = 0): boolean {
  return byte === space || byte === 9;
}
