import { describe, expect, test } from 'vitest';
import type { EmbeddedOptions } from '../../src/scenario/embedded.ts';
import type { FaultOptions } from '../../src/scenario/embedded-faults.ts';
import { openService, until } from '../support/reference-client.ts';
import { openExample, openSocket } from '../support/reference-socket.ts';

describe('faults of replies over WebSocket', () => {
  const codes = [1000, 1001, 1008, 1011, 1012, 1013, 4401, 4403, 4429];
  const play = async (fault: FaultOptions, path: '/v1/socket' | '/v1/responses') => {
    const options: EmbeddedOptions = { stream: { events: 4 }, faults: [fault] };
    const { baseUrl, stats } = await openService(options);
    const { socket, say, respond } =
      path === '/v1/socket' ? await openExample(baseUrl) : await openSocket(baseUrl, path);
    const frames = path === '/v1/socket' ? await say('Hi') : await respond('Hi');
    await until(() => stats().messages.inProgress === 0);
    const { streams, messages } = stats();
    const contents = frames.filter(({ type }) => type === 'delta' || type === 'response.output_text.delta');
    const [outcome] = Object.entries(messages.classes).find(([, count]) => count > 0) ?? [];
    return { socket, frames, outcome, streams, contents: contents.length };
  };
  const classes: Readonly<Record<number, string>> = {
    1000: 'truncated',
    1001: 'truncated',
    1008: 'forbidden',
    1011: 'internal_error',
    1012: 'server_error',
    1013: 'rate_limited',
    4401: 'unauthorized',
    4403: 'forbidden',
    4429: 'rate_limited',
  };

  describe.each(['/v1/socket', '/v1/responses'] as const)('of %s', (path) => {
    test.each(codes)('close the socket with %i', async (code) => {
      const { socket, outcome, contents, streams } = await play({ kind: 'socket_close', code, afterEvents: 2 }, path);
      expect([socket.closed, outcome, contents]).toEqual([code, classes[code], 2]);
      expect(streams.faults.socket_close).toBe(1);
      const before = await play({ kind: 'socket_close', code, afterEvents: 0 }, path);
      expect([before.socket.closed, before.contents]).toEqual([code, 0]);
      expect(before.outcome).toBe(code < 1002 ? 'closed' : classes[code]);
    });

    test.each<[FaultOptions, number, string]>([
      [{ kind: 'stream_cut' }, 1006, 'cut'],
      [{ kind: 'cut' }, 1006, 'cut'],
      [{ kind: 'socket_half_frame' }, 1006, 'cut'],
      [{ kind: 'reset' }, 1006, 'reset'],
      [{ kind: 'close' }, 1006, 'closed'],
      [{ kind: 'stream_end' }, 1000, 'truncated'],
    ])('end it under %j with %i', async (fault, code, expected) => {
      const { socket, outcome } = await play(fault, path);
      expect([socket.closed, outcome]).toEqual([code, expected]);
    });

    test('send text that is not UTF-8', async () => {
      const { socket, outcome } = await play({ kind: 'socket_not_utf8' }, path);
      expect([outcome, socket.broken]).toEqual(['malformed', 'Invalid WebSocket frame: invalid UTF-8 sequence']);
    });

    test('send many pings within a reply that is ok', async () => {
      const { socket, outcome, frames } = await play({ kind: 'socket_pings', count: 500 }, path);
      expect([outcome, socket.pings, socket.closed, frames.length > 4]).toEqual(['ok', 500, undefined, true]);
    });

    test.each<[FaultOptions, string]>([
      [{ kind: 'rate_limited' }, 'rate_limited'],
      [{ kind: 'server_error' }, 'server_error'],
      [{ kind: 'http', status: 404 }, 'not_found'],
      [{ kind: 'stream_error', type: 'rate_limit' }, 'rate_limited'],
    ])('send an error frame under %j, and keep the socket', async (fault, expected) => {
      const { socket, frames, outcome } = await play(fault, path);
      expect([frames.at(-1)?.type, outcome, socket.closed]).toEqual(['error', expected, undefined]);
    });
  });

  test('do not include bodies, which a socket does not have', async () => {
    const { frames, outcome } = await play({ kind: 'http', status: 404, body: 'gone' }, '/v1/socket');
    expect([frames.at(-1)?.type, outcome]).toEqual(['done', 'ok']);
  });

  test('send frames of another reply, only where frames have ids', async () => {
    const { frames, outcome } = await play({ kind: 'socket_foreign', afterEvents: 1 }, '/v1/socket');
    expect(frames.map(({ type, id }) => `${type} ${String(id)}`).slice(1, 5)).toEqual([
      'delta m-1',
      'delta another',
      'done another',
      'delta m-1',
    ]);
    expect(outcome).toBe('ok');
    const { streams } = await play({ kind: 'socket_foreign' }, '/v1/responses');
    expect(streams.faults.socket_foreign).toBe(0);
  });
});
