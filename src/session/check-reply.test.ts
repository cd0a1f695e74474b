import { expect, test } from 'vitest';
import { withChecks } from './check-reply.ts';

const context = { session: { number: 1 }, turn: { number: 1 }, message: 'hi' };
const judge = (check: (reply: string) => boolean) =>
  withChecks(() => ({ value: 'a secret reply' }), { checks: [['reads', check]], context, abandon: () => undefined })(
    {},
  );

test('a check that throws fails, with what it threw', () => {
  const check = (): never => {
    throw new Error('no price in it');
  };
  expect(judge(check)).toEqual({ failedCheck: "check 'reads' failed: it threw no price in it" });
});

test('a check that parses a reply which is no JSON does not tell the reply', () => {
  expect(judge((reply) => JSON.parse(reply) === 1)).toEqual({
    failedCheck: "check 'reads' failed: it threw a SyntaxError",
  });
});
