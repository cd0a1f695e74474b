import { eventStreamCodec } from '../../src/base/event-stream-codec.ts';

/** Returns a frame with an event, or with another type of message. */
export function eventFrame(type: string, body: string, kind = 'event'): Uint8Array {
  const text = (value: string) => ({ type: 'string', value }) as const;
  const headers = {
    [kind === 'event' ? ':event-type' : ':exception-type']: text(type),
    ':content-type': text('application/json'),
    ':message-type': text(kind),
  };
  return eventStreamCodec().encode({ headers, body: Buffer.from(body) });
}
