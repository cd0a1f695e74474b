import { expect, test } from 'vitest';
import { checkReply } from './judge-attempt.ts';

const context = { session: { number: 1 }, turn: { number: 1 }, message: 'hi' };
const judge = (check: (reply: string) => boolean) => checkReply([['reads', check]], 'a secret reply', context);

test('a check that throws fails, with the thrown error', () => {
  const check = (): never => {
    throw new Error('no price in it');
  };
  expect(judge(check)).toMatchObject({ failed: "check 'reads' failed: it threw no price in it" });
});

test('a check that parses a reply which is not JSON does not reveal the reply', () => {
  expect(judge((reply) => JSON.parse(reply) === 1)).toMatchObject({
    failed: "check 'reads' failed: it threw a SyntaxError",
  });
});
