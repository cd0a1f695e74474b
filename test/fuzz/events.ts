import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { EventReader } from '../../src/edge/http/stream/event-reader.ts';
import { fuzz } from './fuzz.ts';
import { weirdText } from './weird.ts';

interface Heard {
  type: string;
  data: string;
}

const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
const value = fc.oneof(
  fc.constantFrom('', ' ', 'a', ' b', '{"delta":"é"}', '😀', 'data: x', ':', '\u{feff}', '[DONE]'),
  fc.json(),
  weirdText.map((text) => text.replaceAll(/[\r\n\0\p{Cs}]/gu, '')),
);
const field = fc.constantFrom('data', 'data', 'data', 'event', 'id', 'retry', 'Data', 'dat', 'datax', 'eventx', '');
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(field, fc.constantFrom(':', ': ', ':  ', ''), value).map((parts) => parts.join('')),
  },
  { weight: 3, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: value },
);
const stream = fc
  .tuple(fc.constantFrom('', '\u{feff}'), fc.array(fc.tuple(line, lineEnd), { maxLength: 30 }))
  .map(([mark, lines]) => mark + lines.map((each) => each.join('')).join(''));

/** A text as bytes, cut anywhere, within a character too. */
const pieces = (text: fc.Arbitrary<string>): fc.Arbitrary<{ text: string; cuts: Buffer[] }> =>
  fc.tuple(text, fc.array(fc.nat({ max: 40 }), { maxLength: 60 })).map(([whole, sizes]) => ({
    text: whole,
    cuts: cut(Buffer.from(whole), sizes),
  }));

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const cuts: Buffer[] = [];
  let at = 0;
  for (const size of sizes) {
    cuts.push(bytes.subarray(at, at + size));
    at = Math.min(bytes.length, at + size);
  }
  return [...cuts, bytes.subarray(at)];
}

/** Returns the events parsed from chunks that share one buffer, as on a socket. */
function hear(framing: 'sse' | 'json-lines', cuts: readonly Buffer[], maxEventBytes = 1e6): Heard[] {
  const heard: Heard[] = [];
  const reader = new EventReader(
    {
      // The peer drops an event that the body does not end.
      event: (event) => {
        if (!event.isUnseparated) heard.push({ type: event.type, data: event.text() });
      },
    },
    { framing, maxEventBytes },
  );
  const shared = Buffer.alloc(Math.max(16, ...cuts.map(({ length }) => length + 7)));
  for (const [index, piece] of cuts.entries()) {
    const start = index % 7;
    shared.fill('\n');
    piece.copy(shared, start);
    reader.take(shared, start, start + piece.length);
  }
  reader.end();
  return heard;
}

/** Returns the events of the same text from the parser used by clients of Node. */
function hearByPeer(text: string): Heard[] {
  const heard: Heard[] = [];
  const parser = createParser({ onEvent: ({ event = '', data }) => heard.push({ type: event, data }) });
  // The peer takes text without a byte order mark, which a decoder removes.
  const unmarked = text.startsWith('\u{feff}') ? text.slice(1) : text;
  // It waits for what follows a CR; an event is whole before that.
  parser.feed(unmarked.endsWith('\r') ? `${unmarked}:` : unmarked);
  return heard;
}

export const eventFuzz = fuzz(
  { name: 'events are those of the peer parser, however the bytes are cut', runs: 2000 },
  pieces(stream),
  ({ text, cuts }) => {
    const [ours, theirs] = [JSON.stringify(hear('sse', cuts)), JSON.stringify(hearByPeer(text))];
    if (ours !== theirs) throw new Error(`${ours} is not ${theirs}`);
  },
);

export const jsonLineFuzz = fuzz(
  { name: 'JSON lines are the lines that are not blank, however the bytes are cut', runs: 500 },
  pieces(
    fc
      .array(fc.tuple(fc.oneof(fc.json(), fc.constantFrom('', ' ', '\t')), fc.constantFrom('\n', '\r\n')))
      .map((lines) => lines.map((each) => each.join('')).join('')),
  ),
  ({ text, cuts }) => {
    const lines = text.split('\n').map((each) => each.replace(/\r$/, '').replace(/^[ \t]+/, ''));
    const theirs = JSON.stringify(lines.filter((each) => each !== ''));
    const ours = JSON.stringify(hear('json-lines', cuts).map(({ data }) => data));
    if (ours !== theirs) throw new Error(`${ours} is not ${theirs}`);
  },
);

export const eventLimitFuzz = fuzz(
  { name: 'no event over the limit is given, and no more is kept', runs: 300 },
  fc.tuple(
    fc.constantFrom('data: ', 'data: x\ndata:', 'event: '),
    fc.constantFrom('sse', 'json-lines'),
    fc.nat({ max: 4000 }),
  ),
  ([start, framing, size]) => {
    const cuts = [start, ...Array<string>(size).fill('abc'), '\n\n'].map((text) => Buffer.from(text));
    for (const { data } of hear(framing, cuts, 2000)) if (data.length > 2000) throw new Error('it is over the limit');
  },
);
