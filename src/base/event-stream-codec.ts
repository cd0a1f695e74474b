import { createRequire } from 'node:module';
import type * as Package from '@smithy/eventstream-codec';

/** Optional package with the frames of Amazon's event streams. */
export const eventStreamPackage = '@smithy/eventstream-codec';

let loaded: Package.EventStreamCodec | undefined;

/** Returns the codec of Amazon's event streams, loaded at its first use. Throws if the package is missing. */
export function eventStreamCodec(): Package.EventStreamCodec {
  if (loaded !== undefined) return loaded;
  const { EventStreamCodec } = createRequire(import.meta.url)(eventStreamPackage) as typeof Package;
  loaded = new EventStreamCodec(
    (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
    (text) => Buffer.from(text),
  );
  return loaded;
}
