import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { GrowingBytes } from '../../../base/growing-bytes.ts';
import { messageOf } from '../../../base/errors.ts';

/** Codings of compressed replies for `Accept-Encoding`. */
export const acceptedCodings = 'gzip, br';

/** Decoders by the names in responses. */
const decoders: ReadonlyMap<string, typeof gunzipSync> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
]);

/** Result of zlib with `info`: brotli ignores bytes after its stream, but reports how much it read. */
interface Decoded {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

export function isDecodable(coding: string): boolean {
  return decoders.has(coding.trim().toLowerCase());
}

/**
 * Decodes a complete body, or returns its fault. The decoded body has at most `maxBytes`, however small the encoded one
 * was.
 */
export function decodeBody(coding: string, body: GrowingBytes, maxBytes: number): GrowingBytes | string {
  const decoder = decoders.get(coding.trim().toLowerCase());
  if (decoder === undefined) return `the coding was not accepted: ${coding}`;
  if (body.length === 0) return body;
  try {
    const decoded = new GrowingBytes();
    const coded = body.bytes.subarray(0, body.length);
    const { buffer, engine } = decoder(coded, { maxOutputLength: maxBytes, info: true }) as unknown as Decoded;
    if (engine.bytesWritten < coded.length) return `the body cannot be decoded (${coding}): bytes follow its end`;
    decoded.bytes = buffer;
    decoded.length = buffer.length;
    return decoded;
  } catch (thrown) {
    if (codeOf(thrown) === 'ERR_BUFFER_TOO_LARGE')
      return `the decoded body of the response is over the limit of ${String(maxBytes)} bytes`;
    return `the body cannot be decoded (${coding}): ${messageOf(thrown)}`;
  }
}

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined);
