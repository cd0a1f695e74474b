import { crc32 } from 'node:zlib';
import { parseJson } from '../../base/json.ts';
import { printableJson } from '../../base/printable.ts';

/**
 * A line of a journal: one entry as JSON, behind the CRC-32 of exactly that text (UTF-8), in eight hexadecimal digits.
 *
 *     {"sum":"1c291ca3","entry":{"kind":"interval", ...}}
 */
export function encodeLine(entry: object): Buffer {
  const text = printableJson(entry);
  return Buffer.from(`${before}${sumOf(text)}${between}${text}${after}\n`);
}

/** The entry of a line, which is given without its newline; `undefined` when the line is not exactly as it was written. */
export function decodeLine(line: Buffer): { entry: unknown } | undefined {
  const sumEnd = before.length + sumDigits;
  const textStart = sumEnd + between.length;
  const text = line.subarray(textStart, line.length - after.length);
  const frame = `${before}${sumOf(text)}${between}`;
  if (line.toString('latin1', 0, textStart) !== frame || line.toString('latin1', line.length - 1) !== after)
    return undefined;
  try {
    return { entry: parseJson(text.toString('utf8')) };
  } catch {
    return undefined;
  }
}

const before = '{"sum":"';
const between = '","entry":';
const after = '}';
const sumDigits = 8;

const sumOf = (text: string | Buffer): string => crc32(text).toString(16).padStart(sumDigits, '0');
