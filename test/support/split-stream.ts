import { expect } from 'vitest';
import { EventReader, type EventSink, type StreamReader } from '../../src/edge/http/stream/event-reader.ts';
import { FrameReader } from '../../src/edge/http/stream/frame-reader.ts';
import type { NoteRule } from '../../src/protocol/notes.ts';
import type { Conversation, Verdict } from '../../src/protocol/protocol.ts';
import { eventFrame } from './event-frame.ts';
import { readEvents, saying, wholeReply, type WrittenEvent } from './stream-events.ts';

/** Reads a stream of these events whose bytes arrive one by one. */
function readByteByByte(conversation: Conversation, events: readonly WrittenEvent[]): Verdict {
  const format = conversation.request(saying('Hello')).route.stream;
  if (format === undefined) throw new Error('the target is not streamed');
  const stream = format.begin();
  const isFramed = format.framing === 'aws-event-stream';
  const sink: EventSink = { event: (event) => void stream.take(event) };
  const reader: StreamReader = isFramed
    ? new FrameReader(sink, 1e6)
    : new EventReader(sink, { framing: 'sse', maxEventBytes: 1e6, isJson: format.isJson });
  for (const byte of Buffer.concat(events.map(isFramed ? writeFrame : writeEvent))) reader.take(Buffer.of(byte), 0, 1);
  reader.end();
  return conversation.read(wholeReply(200, '', { stream, contentType: 'text/event-stream' }));
}

/** Expects the same verdict on whole events and on events whose bytes arrive one by one; returns it. */
export function readHowever(begin: () => Conversation, events: readonly WrittenEvent[]): Verdict {
  const { verdict } = readEvents(begin(), events);
  expect(readByteByByte(begin(), events)).toEqual(verdict);
  return verdict;
}

/** Returns the rules of the notes of a reply. */
export function notesOf({ reply }: Verdict): NoteRule[] {
  return (reply?.notes ?? []).map(({ rule }) => rule);
}

/** Returns the type and the data of an event, as text. */
function partsOf(written: WrittenEvent): [type: string, data: string] {
  const [type, data] = Array.isArray(written) ? (written as [string, unknown]) : ['', written];
  return [type, typeof data === 'string' ? data : JSON.stringify(data)];
}

function writeEvent(written: WrittenEvent): Buffer {
  const [type, data] = partsOf(written);
  return Buffer.from(`${type === '' ? '' : `event: ${type}\n`}data: ${data}\n\n`);
}

const writeFrame = (written: WrittenEvent): Uint8Array => eventFrame(...partsOf(written));
