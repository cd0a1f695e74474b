import { expect, test } from 'vitest';
import { SocketChains } from './socket-chains.ts';
import { turnsOf } from './transcript.ts';

const turn = { message: 'Hi', response: 'Hello', createdAt: '' };

test('a socket has its latest response once, until it closes', () => {
  const chains = new SocketChains(9);
  const first = chains.keep('a', turnsOf([]), turn);
  expect(chains.take('b', first)).toBeUndefined();
  const second = chains.keep('a', turnsOf([turn]), turn);
  expect(chains.take('a', first)).toBeUndefined();
  expect(chains.take('a', second)?.count).toBe(2);
  expect(chains.take('a', second)).toBeUndefined();
  const third = chains.keep('a', turnsOf([]), undefined);
  chains.forget('a');
  expect(chains.take('a', third)).toBeUndefined();
});

test('the oldest socket is forgotten above the limit', () => {
  const chains = new SocketChains(2);
  const ids = ['a', 'b', 'a', 'c'].map((socket) => chains.keep(socket, turnsOf([]), turn));
  expect(['b', 'a', 'c'].map((socket, index) => chains.take(socket, ids[index + 1])?.count)).toEqual([undefined, 1, 1]);
});
