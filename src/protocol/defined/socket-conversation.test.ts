import { describe, expect, test } from 'vitest';
import { ChatLoadError } from '../../base/errors.ts';
import { bareTarget, eventOf, saying, wholeReply } from '../../../test/support/stream-events.ts';
import { exampleProtocol } from '../../../test/support/socket-service.ts';
import type { ChatRequest, Dialogue, FrameReader, Received, SocketObserver } from '../protocol.ts';
import { definedProtocol } from './defined-protocol.ts';
import type { SocketDefinition } from './definition.ts';

const unobserved: SocketObserver = {
  opened: () => undefined,
  closed: () => undefined,
  unsolicited: () => undefined,
};

/** Opens the API of session 7. */
function openSession(changes: Partial<SocketDefinition> = {}) {
  const api = definedProtocol({ ...exampleProtocol, ...changes }).open({ ...bareTarget, stream: true });
  const session = api.forSession?.(7, unobserved);
  if (session?.creation === undefined) throw new Error('no session over a socket');
  return { creation: session.creation, converse: (id: string) => session.converse(id) };
}

function begin({ socket }: ChatRequest, isReopened = false): Dialogue {
  const dialogue = socket?.begin?.({ isReopened, traceparent: '' });
  if (dialogue === undefined) throw new Error('no turn over a socket');
  return dialogue;
}

const greet = ({ socket }: ChatRequest): Dialogue => {
  if (socket === undefined) throw new Error('no socket');
  return socket.greet();
};

/** Passes the frames of the reader's own answer to it. */
function read(reader: FrameReader, ...frames: unknown[]): FrameReader {
  for (const frame of frames) {
    const event = eventOf(typeof frame === 'string' ? frame : JSON.stringify(frame));
    if (reader.accepts(event)) reader.take(event);
  }
  return reader;
}

/** The end of an exchange over an open socket. */
const over = (stream: FrameReader, more: Partial<Received> = {}): Received => wholeReply(101, '', { stream, ...more });

describe('a session over a socket', () => {
  test('is created by the frame that makes its socket ready, which has its id', () => {
    const { creation } = openSession();
    const { reader, frames } = greet(creation.request);
    expect(frames).toEqual([]);
    expect(read(reader, { type: 'hello' }).isOver).toBe(false);
    expect(read(reader, { type: 'ready', sessionId: 's-1' })).toMatchObject({ isOver: true, keepsSocket: true });
    expect(creation.read(over(reader))).toMatchObject({ outcome: 'ok', reply: { id: 's-1' } });
  });

  test('is created at once without such a frame', () => {
    const connect = { path: '/{{agentId}}/ws', frames: () => [{ type: 'hello' }, 'text'] };
    const { creation } = openSession({ connect });
    expect(creation.request.route).toMatchObject({ operation: 'create', method: 'GET', path: '/model-1/ws' });
    const { reader, frames } = greet(creation.request);
    expect([frames, reader.isOver]).toEqual([['{"type":"hello"}', 'text'], true]);
    expect(creation.read(over(reader))).toMatchObject({ outcome: 'ok', reply: { id: '' } });
  });

  test.each<[string, unknown, string]>([
    ['that is not JSON', 'hello', 'malformed'],
    ['that states an error', { type: 'error', code: 'forbidden' }, 'forbidden'],
    ['without the id', { type: 'ready' }, 'contract_broken'],
  ])('is not created by a frame %s', (_, frame, outcome) => {
    const { creation } = openSession();
    const { reader } = greet(creation.request);
    expect(read(reader, frame)).toMatchObject({ isOver: true, keepsSocket: false });
    expect(creation.read(over(reader))).toMatchObject({ outcome });
  });

  test('ends the run if its own functions fail before anything is sent', () => {
    const fail = (): never => {
      throw new Error('no path today');
    };
    expect(() => openSession({ connect: { path: fail } })).toThrow(ChatLoadError);
    expect(() => openSession({ connect: { path: () => 'ws' } })).toThrow(
      'returned a value that is not text that begins with /',
    );
    const conversation = openSession({ send: fail }).converse('s-1');
    expect(() => conversation.request(saying('Hi', { session: 7, turn: 1 }))).toThrow(
      'target.protocol.send of the scenario failed in session 7, turn 1: it threw no path today',
    );
  });

  test('breaks the contract if they fail later', () => {
    const send: SocketDefinition['send'] = ({ reopened }) => {
      if (reopened) throw new Error('nothing kept');
      return {};
    };
    const conversation = openSession({ send }).converse('s-1');
    const { reader, frames } = begin(conversation.request(saying('Hi')), true);
    expect([frames, reader.isOver]).toEqual([[], true]);
    expect(conversation.read(over(reader))).toMatchObject({
      outcome: 'contract_broken',
      detail: 'target.protocol.send threw nothing kept',
    });
  });
});

test('a session is not created if its first frames cannot be made', () => {
  const frames = (): unknown => JSON.parse('{');
  expect(() => openSession({ connect: { path: '/ws', frames } })).toThrow(
    'The function target.protocol.connect.frames of the scenario failed: it threw a SyntaxError',
  );
});

test('a turn without a frame is an error of the scenario', () => {
  const conversation = openSession({ send: () => [] }).converse('s-1');
  expect(() => conversation.request(saying('Hi'))).toThrow(/target\.protocol\.send .* returned no frame/);
});

describe('a turn over a socket', () => {
  test('has an id for every attempt', () => {
    const conversation = openSession().converse('s-1');
    const request = conversation.request(saying('Hi', { turn: 2, variableValues: '{"name":"Ada"}' }));
    const attempts = [begin(request), begin(request)];
    expect(attempts.map(({ frames }) => frames.map((frame) => JSON.parse(frame) as unknown))).toEqual([
      [{ type: 'message', id: 't-2', text: 'Hi', variables: { name: 'Ada' } }],
      [{ type: 'message', id: 't-2-2', text: 'Hi', variables: { name: 'Ada' } }],
    ]);
    expect(attempts.map(({ cancel }) => cancel?.())).toEqual([
      ['{"type":"cancel","id":"t-2"}'],
      ['{"type":"cancel","id":"t-2-2"}'],
    ]);
  });

  test('is answered by the frames with its id alone', () => {
    const conversation = openSession().converse('s-1');
    const { reader } = begin(conversation.request(saying('Hi')));
    read(
      reader,
      { type: 'typing' },
      { type: 'delta', id: 't-1', text: 'A' },
      { type: 'delta', id: 't-0', text: 'B' },
      { type: 'done', id: 't-0' },
      { type: 'delta', id: 't-1', text: 'C' },
    );
    expect(reader).toMatchObject({ text: 'AC', isOver: false });
    read(reader, { type: 'done', id: 't-1', usage: { inputTokens: 5, outputTokens: 3 } });
    expect(conversation.read(over(reader))).toMatchObject({
      outcome: 'ok',
      reply: { text: 'AC', usage: { inputTokens: 5, outputTokens: 3 } },
    });
  });

  test('uses the id of the socket that was reopened for it', () => {
    const ids: string[] = [];
    const send: SocketDefinition['send'] = ({ sessionId, reopened }) => ids.push(`${sessionId} ${String(reopened)}`);
    const conversation = openSession({ send }).converse('s-1');
    const request = conversation.request(saying('Hi'));
    read(greet(request).reader, { type: 'ready', sessionId: 's-9' });
    begin(request, true);
    conversation.request(saying('And?'));
    expect(ids).toEqual(['s-1 false', 's-9 true', 's-9 false']);
  });

  test('that states an error keeps its socket, and its wait counts as Retry-After', () => {
    const conversation = openSession({ match: undefined }).converse('s-1');
    const { reader } = begin(conversation.request(saying('Hi')));
    read(reader, { type: 'error', code: 'rate_limited', retryAfter: 1.2 });
    expect(reader).toMatchObject({ isOver: true, keepsSocket: true, retryAfter: '2' });
    expect(conversation.read(over(reader))).toMatchObject({ outcome: 'rate_limited' });
  });

  test('breaks the contract if no frame has the id at which frames are matched', () => {
    const conversation = openSession({ match: 'ref' }).converse('s-1');
    const { reader } = begin(conversation.request(saying('Hi')));
    read(reader, { type: 'delta', id: 't-1', text: 'A' }, { type: 'done', id: 't-1' });
    expect(conversation.read(over(reader))).toMatchObject({
      outcome: 'contract_broken',
      detail: expect.stringContaining(
        'no frame of the reply has the id of its request at target.protocol.match',
      ) as string,
    });
  });

  test.each<[string, SocketDefinition['match'], boolean]>([
    ['gives up its socket', undefined, false],
    ['keeps it if frames have ids', 'id', true],
  ])('that is broken %s', (_, match, keepsSocket) => {
    const conversation = openSession({ match }).converse('s-1');
    const { reader } = begin(conversation.request(saying('Hi')));
    expect(read(reader, 'hello')).toMatchObject({ isOver: true, keepsSocket });
    expect(conversation.read(over(reader))).toMatchObject({ outcome: 'malformed' });
  });

  test.each([
    [1000, [], 'connection_lost'],
    [1000, [{ type: 'delta', id: 't-1', text: 'A' }], 'truncated'],
    [4000, [{ type: 'delta', id: 't-1', text: 'A' }], 'rate_limited'],
  ])('whose socket is closed with %i after %j is %s', (closeCode, frames, outcome) => {
    const conversation = openSession({ closeCodes: { 4000: 'rate_limited' } }).converse('s-1');
    const { reader } = begin(conversation.request(saying('Hi')));
    const detail = 'the server closed the socket';
    expect(conversation.read(over(read(reader, ...frames), { closeCode, detail }))).toMatchObject({ outcome, detail });
  });
});
