import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import fc from 'fast-check';
import { Client } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ms } from '../../src/base/time.ts';
import { systemClock } from '../../src/edge/clock.ts';
import { ResponseParser } from '../../src/edge/http/response/response-parser.ts';
import { openSender } from '../../src/edge/http/open-sender.ts';
import type { Sender } from '../../src/edge/http/open-sender.ts';
import { responseStreams } from '../support/http-response-streams.ts';
import { createRoute } from '../../src/protocol/chat-messaging/chat-messaging.ts';
import { authorize } from '../support/requests.ts';

/** More cases by hand: HTTP_FUZZ_CASES=20000, others: HTTP_FUZZ_SEED=1. */
const runs = {
  seed: Number(process.env['HTTP_FUZZ_SEED'] ?? 20240607),
  numRuns: Number(process.env['HTTP_FUZZ_CASES'] ?? 1000),
};
const limits = { maxHeadBytes: 64 * 1024, maxBodyBytes: 1024 * 1024 };

interface Reading {
  status: number;
  headers: string[];
  body: string;
}

/**
 * Streams on which undici deliberately differs, recognized by their bytes alone: a status of 100 is an error to undici,
 * and 1xx is skipped here, except 101 after an upgrade request; a 1xx with `Connection: close`, or not HTTP/1.1, ends the
 * connection for undici; 204 and 304 with a length other than 0 are a length mismatch for undici; a status line that ends
 * with CR CR is accepted by the llhttp of undici 7, and refused by later versions; a tab after a Content-Length is white
 * space here and in later versions of llhttp; folded lines and equal lengths are read here (RFC 9112, 5.2 and 6.3), as is white space
 * after a name or a chunk size (5.1), and errors to llhttp; codings that were not requested are malformed here, and passed on unchanged
 * by undici.
 */
const isBeyondCompare = (bytes: Buffer): boolean => {
  const text = bytes.toString('latin1');
  return (
    /HTTP\/\d\.\d 10[01]/.test(text) ||
    (/HTTP\/\d\.\d 1/.test(text) && (/connection:[^\r\n]*close/i.test(text) || !/^\s*HTTP\/1\.1 1/.test(text))) ||
    (/HTTP\/\d\.\d (204|304)/.test(text) && /content-length/i.test(text)) ||
    /HTTP[^\r\n]*\r\r/.test(text) ||
    /content-length:[^\r\n]*\d[ \t]*\t/i.test(text) ||
    /content-encoding/i.test(text) ||
    /\n[ \t]/.test(text) ||
    /\n[^\s:]+[ \t]+:/.test(text) ||
    /\n[0-9a-f]+(?:;[^\r\n]*)?[ \t]/i.test(text) ||
    /content-length:[^\r\n]*,/i.test(text) ||
    [...text.matchAll(/content-length:/gi)].length > 1 ||
    [...text.matchAll(/transfer-encoding:([^\r\n]*)/gi)].some(([, value]) => !isPlainCoding(value ?? ''))
  );
};

const isPlainCoding = (value: string): boolean =>
  /^[ \t]*((identity|chunked)(, ?| *$))*$/i.test(value) && !/,\s*$/.test(value);

/**
 * Answers every connection with the parts of `stream`, each in a separate write and turn of the event loop, and closes
 * it.
 */
const serve = () => {
  const served: { stream: readonly Buffer[] } = { stream: [] };
  const answer = async (socket: Socket): Promise<void> => {
    socket.setNoDelay(true);
    for (const piece of served.stream) {
      socket.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    socket.end();
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // The client may close the connection at the first fault.
    socket.once('data', () => void answer(socket));
  });
  return { served, server };
};

const readWithUndici = async (origin: string): Promise<Reading | 'failed'> => {
  const client = new Client(origin, { maxHeaderSize: limits.maxHeadBytes });
  try {
    const { statusCode, headers, body } = await client.request({
      path: '/',
      method: 'POST',
      body: '{}',
      responseHeaders: 'raw',
    });
    const bytes = Buffer.from(await body.arrayBuffer());
    return { status: statusCode, headers: headerList(headers as unknown as string[]), body: bytes.toString() };
  } catch {
    return 'failed';
  } finally {
    await client.destroy();
  }
};

/** Header names in lower case; values without the trailing white space that undici keeps. */
const headerList = (raw: readonly string[]): string[] =>
  raw.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text.replace(/^[ \t]+|[ \t]+$/g, '')));

const readWithParser = (pieces: readonly Buffer[]): Reading | 'failed' => {
  const parser = new ResponseParser(limits);
  for (const piece of pieces) parser.feed(piece);
  parser.end();
  if (parser.phase !== 'complete') return 'failed';
  return { status: parser.head.status, headers: headerList(parser.head.headers.flat()), body: parser.body.text() };
};

const readWithSender = async (sender: Sender): Promise<Omit<Reading, 'headers'> | 'failed'> => {
  const exchange = await sender.send({ route: createRoute('/'), body: '{}' }, systemClock.now());
  return exchange.failure === undefined ? { status: exchange.status, body: exchange.body } : 'failed';
};

describe('next to undici, on the same streams of bytes', () => {
  const { served, server } = serve();
  let origin = '';
  let sender: Sender;

  beforeAll(async () => {
    origin = await listen(server);
    sender = openSender({
      baseUrl: new URL(origin),
      apiKey: 'key',
      authorize,
      toolVersion: '0.0.0',
      timeoutMs: ms(10_000),
      connectTimeoutMs: ms(10_000),
      idleConnectionMs: ms(4000),
      clock: systemClock,
      ...limits,
    });
  });

  afterAll(async () => {
    await sender.close();
    await new Promise((resolve) => server.close(resolve));
  });

  test('the parser and the sender read the same status, headers and body, or fail if undici fails', async () => {
    const seen = { compared: 0, failed: 0 };
    await fc.assert(
      fc.asyncProperty(responseStreams, async ({ pieces }) => {
        if (isBeyondCompare(Buffer.concat(pieces))) return;
        served.stream = pieces;
        const theirs = await readWithUndici(origin);
        seen.compared++;
        if (theirs === 'failed') seen.failed++;
        expect(readWithParser(pieces)).toEqual(theirs);
        expect(await readWithSender(sender)).toEqual(
          theirs === 'failed' ? theirs : { status: theirs.status, body: theirs.body },
        );
      }),
      runs,
    );
    expect(seen.compared).toBeGreaterThan(runs.numRuns / 2);
    expect(seen.failed).toBeGreaterThan(seen.compared / 5);
    expect(seen.failed).toBeLessThan((seen.compared * 4) / 5);
  });
});

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
};
