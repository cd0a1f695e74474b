import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { GrowingBytes } from '../../../base/growing-bytes.ts';
import { messageOf } from '../../../base/errors.ts';

/** The codings that are accepted where compressed replies are, as a request says it. */
export const acceptedCodings = 'gzip, br';

/** How each is decoded, by the names that a response may give it. */
const decoders: ReadonlyMap<string, typeof gunzipSync> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
]);

/** What zlib gives with `info`: brotli ignores what follows its stream, and tells how much it read. */
interface Decoded {
  buffer: Buffer;
  engine: { bytesWritten: number };
}

/** Whether a body in this coding can be decoded. */
export function isDecodable(coding: string): boolean {
  return decoders.has(coding.trim().toLowerCase());
}

/**
 * Decodes a whole body. Gives what is wrong with it instead, in words: a body grows to `maxBytes` and no further, however
 * small it came.
 */
export function decodeBody(coding: string, body: GrowingBytes, maxBytes: number): GrowingBytes | string {
  const decoder = decoders.get(coding.trim().toLowerCase());
  if (decoder === undefined) return `the coding was not accepted: ${coding}`;
  if (body.length === 0) return body;
  try {
    const decoded = new GrowingBytes();
    const coded = body.bytes.subarray(0, body.length);
    const { buffer, engine } = decoder(coded, { maxOutputLength: maxBytes, info: true }) as unknown as Decoded;
    if (engine.bytesWritten < coded.length) return `the body cannot be decoded (${coding}): there is more behind it`;
    decoded.bytes = buffer;
    decoded.length = decoded.bytes.length;
    return decoded;
  } catch (thrown) {
    if (codeOf(thrown) === 'ERR_BUFFER_TOO_LARGE')
      return `the decoded body of the response is over the limit of ${String(maxBytes)} bytes`;
    return `the body cannot be decoded (${coding}): ${messageOf(thrown)}`;
  }
}

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined);
