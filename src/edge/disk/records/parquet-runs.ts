import type { DataReader } from 'hyparquet';

/** Runs that end a section of levels or indices may be padded by a few values. */
const mostPadding = 1024;

interface Section {
  from: number;
  /** Bits of a value. */
  width: number;
  values: number;
}

/**
 * Throws if a run of a section declares more values than the section has. The decoder trusts the length of a run, so that
 * five bytes would make it write billions of values.
 */
export function requireRuns(view: DataView, { from, width, values }: Section): void {
  if (width > 32) throw new Error(`values have ${String(width)} bits`);
  const reader: DataReader = { view, offset: from };
  for (let seen = 0; seen < values && reader.offset < view.byteLength;) {
    const header = readVarInt(reader);
    const isPacked = header % 2 === 1;
    const run = isPacked ? ((header - 1) / 2) * 8 : header / 2;
    if (run > values - seen + mostPadding)
      throw new Error(`a run declares ${String(run)} values, and its page has ${String(values)}`);
    // The decoder reads a byte of a packed run before it looks whether there is one.
    reader.offset += isPacked ? Math.max(1, (run / 8) * width) : Math.ceil(width / 8);
    seen += run;
  }
}

function readVarInt(reader: DataReader): number {
  let value = 0;
  for (let factor = 1; reader.offset < reader.view.byteLength; factor *= 128) {
    const byte = reader.view.getUint8(reader.offset++);
    value += (byte % 128) * factor;
    if (byte < 128) break;
  }
  return value;
}
