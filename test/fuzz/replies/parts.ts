import { eventStreamCodec } from '../../../src/base/event-stream-codec.ts';

/** Forms of bodies: server-sent events, lines, Amazon's frames, frames of a WebSocket, and a body in one part. */
export type Form = 'sse' | 'lines' | 'aws' | 'frames' | 'whole';

/** An event, a line, a frame, or a body that is not divided. */
export interface Part {
  readonly type: string;
  readonly data: string;
}

/** Splits the body of a fixture into its parts. */
export function partsOf(form: Form, body: Buffer): Part[] {
  const text = body.toString();
  switch (form) {
    case 'sse':
      return text.split('\n\n').filter(isFilled).map(eventIn);
    case 'aws':
      return framesIn(body);
    case 'whole':
      return [{ type: '', data: text }];
    default:
      return text
        .split('\n')
        .filter(isFilled)
        .map((data) => ({ type: '', data }));
  }
}

const isFilled = (text: string): boolean => text !== '';

function eventIn(text: string): Part {
  const fields = text.split('\n').map((line) => line.split(/: ?(.*)/s, 2));
  const valuesOf = (name: string): string[] => fields.filter(([each]) => each === name).map(([, value = '']) => value);
  return { type: valuesOf('event').at(-1) ?? '', data: valuesOf('data').join('\n') };
}

function framesIn(body: Buffer): Part[] {
  const found: Part[] = [];
  for (let at = 0; at < body.length; at += body.readUInt32BE(at)) {
    const frame = eventStreamCodec().decode(body.subarray(at, at + body.readUInt32BE(at)));
    const type = frame.headers[':event-type'] ?? frame.headers[':exception-type'];
    found.push({ type: String(type?.value ?? ''), data: Buffer.from(frame.body).toString() });
  }
  return found;
}

/** Ways in which servers and gateways write the same parts. */
export interface Writing {
  readonly lineEnd: '\n' | '\r\n' | '\r';
  readonly hasMark: boolean;
  /** True if comments precede and follow every event, or blank lines every line. */
  readonly hasKeepAlives: boolean;
  readonly separator: ': ' | ':';
}

export const plainWriting: Writing = { lineEnd: '\n', hasMark: false, hasKeepAlives: false, separator: ': ' };

/** Serializes parts. Data may contain line breaks only in server-sent events. */
export function writeParts(form: Form, parts: readonly Part[], writing: Writing = plainWriting): Buffer {
  const { lineEnd, hasMark, hasKeepAlives, separator } = writing;
  if (form === 'aws') return Buffer.concat(parts.map(writeFrame));
  const mark = hasMark ? '\u{feff}' : '';
  if (form === 'whole') return Buffer.from(mark + parts.map(({ data }) => data).join(''));
  const text =
    form === 'sse'
      ? parts.map((part) => writeEvent(part, { lineEnd, separator, hasKeepAlives })).join('')
      : parts.map(({ data }) => data + lineEnd + (hasKeepAlives ? lineEnd : '')).join('');
  return Buffer.from((form === 'sse' ? mark : '') + text);
}

function writeEvent({ type, data }: Part, { lineEnd, separator, hasKeepAlives }: Omit<Writing, 'hasMark'>): string {
  const lines = [
    ...(hasKeepAlives ? [': ping', '', 'retry: 3000', 'id: 7'] : []),
    ...(type === '' ? [] : [`event${separator}${type}`]),
    // A first space would be taken for the separator's.
    ...data.split('\n').map((line) => `data${line.startsWith(' ') ? ': ' : separator}${line}`),
    '',
    ...(hasKeepAlives ? [':', ''] : []),
  ];
  return lines.map((line) => line + lineEnd).join('');
}

function writeFrame({ type, data }: Part): Uint8Array {
  const text = (value: string) => ({ type: 'string', value }) as const;
  const headers = { ':event-type': text(type), ':message-type': text('event') };
  return eventStreamCodec().encode({ headers, body: Buffer.from(data) });
}

/** Returns text frames of a server over WebSocket. */
export function socketBytes(parts: readonly Part[]): Buffer {
  return Buffer.concat(parts.map(({ data }) => socketFrame(Buffer.from(data))));
}

function socketFrame(payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x81;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
