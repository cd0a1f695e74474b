import fc from 'fast-check';

/** Bytes that a server may send, cut into chunks as written. The server closes the connection afterwards. */
interface ResponseStream {
  pieces: Buffer[];
  /** Description of a counterexample. */
  [fc.toStringMethod]: () => string;
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const oneOf = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
/** Usually the plain value, rarely one of the unusual ones. */
const mostly = <T>(plain: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, weight = 12): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: plain, weight }, { arbitrary: odd, weight: 1 });
const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((all) => all.join(''));

const lineBreak = mostly(fc.constant('\r\n'), oneOf('\n', '\r', '\r\r\n', '\n\r\n', ' \r\n'), 80);
const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)),
  maxLength: 12,
});

const version = mostly(
  oneOf('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0'),
  oneOf(
    'HTTP/0.9',
    'HTTP/2.0',
    'HTTP/1.2',
    'HTTP/3.0',
    'HTTP/1.10',
    'HTTP/11',
    'http/1.1',
    'HTTP 1.1',
    'HTTP/1.',
    'HTTPS/1.1',
  ),
);
const status = mostly(
  oneOf('200', '200', '201', '204', '301', '304', '400', '401', '404', '429', '500', '503'),
  oneOf('205', '999', '600', '099', '000', '20', '2000', '2 0', 'abc', '', '-20', '199'),
);
const reason = mostly(
  oneOf(' OK', ' Not Found', ' ', ''),
  oneOf('  two', '\tOK', ' \x00\x01\x7f', ' \xe9\xff', ' a\rb', 'OK'),
);

const plainHeader = oneOf(
  'Content-Type: application/json',
  'Date: Mon, 01 Jan 2024 00:00:00 GMT',
  'X-Request-Id:abc',
  'x-empty:',
  'X-Padded: \t padded value \t ',
  'X-Colons: a:b:c',
  'X-High: caf\xe9 \xff',
  "!#$%&'*+-.^_`|~09azAZ: token",
  'Connection: keep-alive',
  'connection: Keep-Alive',
  'Keep-Alive: timeout=5, max=100',
  'Keep-Alive: timeout=2',
  'Retry-After: 7',
  'Retry-After-Ms: 700',
  'X-RateLimit-Reset-Requests: 1s',
  'x-ratelimit-reset-requests: 2s',
  'RateLimit-Reset: 5',
  'x-ratelimit-limit-requests: 5',
  'RETRY-AFTER:  Wed, 21 Oct 2015 07:28:00 GMT ',
);
const oddHeader = fc.oneof(
  oneOf(
    'Connection: close',
    'Connection: CLOSE',
    'Connection: close, keep-alive',
    'Connection: keep-alive, x',
    'Connection: upgrade',
    'Connection:',
    'Connection: ,',
    'Proxy-Connection: keep-alive',
    'Upgrade: websocket',
    'Keep-Alive: max=7',
    'Keep-Alive: timeout=5 ,max=2',
    'Keep-Alive: timeout=',
    'Keep-Alive: timeout=1234567',
    'Retry-After:',
    'Space-Before : x',
    ' Leading: x',
    '\tLeading: x',
    'Folded: a\r\n b',
    'Folded:\r\n\tb',
    'No colon',
    ': no name',
    'Na(me: x',
    'Nam\xe9: x',
    'Control: a\x01b',
    'Delete: \x7f',
    'Null: \x00',
    'Return: a\rb',
    'Feed: a\nb',
    'Content-Length2: 7',
    'Content-Lengt: 7',
    'Transfer-Encodings: chunked',
  ),
  joined(fc.constant('X-Any: '), anyText),
  fc.nat({ max: 3000 }).map((length) => `X-Long: ${'v'.repeat(length)}`),
);
const headers = fc.array(mostly(plainHeader, oddHeader, 9), { maxLength: 6 });

const bodyText = fc.oneof(
  oneOf('', '{}', '{"success":true}', '{"a":"é ✓ 😀"}'),
  fc.string({ maxLength: 200 }),
  fc.nat({ max: 5000 }).map((length) => 'b'.repeat(length)),
);
const body = fc.oneof(
  { arbitrary: bodyText.map((text) => Buffer.from(text).toString('latin1')), weight: 6 },
  { arbitrary: anyText, weight: 1 },
);

const sizedBody = body.chain((bytes) => {
  const length = String(bytes.length);
  const more = String(bytes.length + 1);
  const less = String(Math.max(0, bytes.length - 1));
  const declared = mostly(
    fc.constant(`Content-Length: ${length}`),
    oneOf(
      `content-length:${length}`,
      `CONTENT-LENGTH: \t00${length}  `,
      `Content-Length: ${more}`,
      `Content-Length: ${less}`,
      `Content-Length: ${length}\r\nContent-Length: ${length}`,
      `Content-Length: ${length}, ${length}`,
      `Content-Length: +${length}`,
      `Content-Length: -1`,
      `Content-Length: 0x${length}`,
      `Content-Length: ${length}.0`,
      `Content-Length: ${length} 1`,
      'Content-Length:',
      'Content-Length: 18446744073709551615',
      'Content-Length: 18446744073709551616',
      'Content-Length: 0000000000000000000000000000000000',
    ),
    6,
  );
  return fc.record({ framing: declared, bytes: fc.constant(bytes) });
});

const chunkExtension = mostly(
  fc.constant(''),
  oneOf(
    ';',
    ';a',
    ';a=b',
    ';a="b;\\" c"',
    ';a=b"c"',
    ';=b',
    ';;a',
    '; a',
    ';a =b',
    ';a="',
    ' ',
    '\t',
    ';a=b;c=d',
    ';é',
  ),
);
const chunkSize = (length: number): fc.Arbitrary<string> => {
  const hex = length.toString(16);
  return mostly(
    fc.constant(hex),
    oneOf(hex.toUpperCase(), `000${hex}`, `0x${hex}`, ` ${hex}`, '', 'g', '-1', 'fffffffffffffffff'),
  );
};
const chunk = fc
  .string({ unit: oneOf('a', 'b', '0', '\r', '\n'), minLength: 1, maxLength: 40 })
  .chain((bytes) => joined(chunkSize(bytes.length), chunkExtension, lineBreak, fc.constant(bytes), lineBreak));
const trailers = fc.array(
  mostly(oneOf('X-Trailer: 1', 'Retry-After: 9'), oneOf('Content-Length: 3', ' folded', 'broken', 'Connection: close')),
  { maxLength: 2 },
);
const chunks = fc
  .tuple(fc.array(chunk, { maxLength: 5 }), mostly(oneOf('0', '000'), oneOf('', '0;x=y', '1')), trailers)
  .map(([parts, last, lines]) => `${parts.join('')}${[last, ...lines].join('\r\n')}\r\n\r\n`);
const chunkedBody = fc.record({
  framing: mostly(
    oneOf('Transfer-Encoding: chunked', 'transfer-encoding:CHUNKED', 'Transfer-Encoding: chunked '),
    oneOf(
      'Transfer-Encoding: identity, chunked',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: identity',
      'Transfer-Encoding: chunked\r\nContent-Length: 5',
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding:\r\nContent-Length: 0',
      'Transfer-Encoding:',
    ),
    4,
  ),
  bytes: chunks,
});
const openBody = fc.record({ framing: fc.constant(''), bytes: body });

/** `framing` may contain several lines, which are among the other headers. */
const message = fc
  .record({
    firstLine: joined(version, fc.constant(' '), status, reason),
    lines: headers,
    framed: fc.oneof({ arbitrary: sizedBody, weight: 5 }, { arbitrary: chunkedBody, weight: 4 }, openBody),
    place: fc.nat({ max: 6 }),
    breaks: fc.array(lineBreak, { minLength: 9, maxLength: 9 }),
  })
  .map(({ firstLine, lines, framed, place, breaks }) => {
    const head = [firstLine, ...lines];
    if (framed.framing !== '') head.splice(1 + Math.min(place, lines.length), 0, framed.framing);
    return `${[...head, ''].map((line, index) => line + (breaks[index] ?? '\r\n')).join('')}${framed.bytes}`;
  });

const interim = fc
  .tuple(oneOf('102', '103', '102 Processing', '103 Early Hints'), fc.array(plainHeader, { maxLength: 2 }))
  .map(([code, lines]) => `${[`HTTP/1.1 ${code}`, ...lines].join('\r\n')}\r\n\r\n`);

const whole = fc
  .tuple(
    mostly(fc.constant(''), oneOf('\r\n', '\n\r', '\r\n\r\n', ' ', '\x00')),
    mostly(fc.constant<string[]>([]), fc.array(interim, { minLength: 1, maxLength: 2 }), 6),
    message,
    mostly(fc.constant(''), fc.oneof(oneOf('x', '\r\n', 'HTTP/1.1 200 OK\r\n\r\n'), anyText), 6),
  )
  .map(([before, interims, main, behind]) => latin1([before, ...interims, main, behind].join('')));

interface Change {
  at: number;
  kind: 'replace' | 'insert' | 'remove';
  byte: number;
}

const changes: fc.Arbitrary<Change[]> = mostly(
  fc.constant([]),
  fc.array(
    fc.record({
      at: fc.nat(),
      kind: fc.constantFrom('replace' as const, 'insert' as const, 'remove' as const),
      byte: fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 9, 10, 13, 32, 44, 48, 58, 59)),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  2,
);

const change = (bytes: Buffer, { at, kind, byte }: Change): Buffer => {
  const place = at % (bytes.length + 1);
  const inserted = kind === 'remove' ? [] : [byte];
  return Buffer.concat([
    bytes.subarray(0, place),
    Buffer.from(inserted),
    bytes.subarray(kind === 'insert' ? place : place + 1),
  ]);
};

const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const sorted = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...sorted]
    .map((from, index) => bytes.subarray(from, sorted[index] ?? bytes.length))
    .filter((piece) => piece.length > 0);
};

/**
 * Responses in all shapes: malformed lines, contradicting framings, chunk extensions, trailers, interim messages before,
 * bytes after the end, changed bytes, missing ends; written at once or in chunks.
 */
export const responseStreams: fc.Arbitrary<ResponseStream> = fc
  .record({
    bytes: whole,
    changed: changes,
    keep: mostly(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }), 5),
    places: fc.oneof(fc.constant([]), fc.array(fc.nat(), { minLength: 1, maxLength: 6 })),
  })
  .map(({ bytes, changed, keep, places }) => {
    const broken = changed.reduce(change, bytes);
    const pieces = cut(broken.subarray(0, Math.ceil(broken.length * keep)), places);
    const shown = pieces.map((piece) => JSON.stringify(piece.toString('latin1')));
    return { pieces, [fc.toStringMethod]: () => shown.join(' | ') };
  });
