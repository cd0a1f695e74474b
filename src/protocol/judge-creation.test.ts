import { describe, expect, test } from 'vitest';
import { judgeCreation } from './classify-whole.ts';

const read = (path: string, json: string) => judgeCreation(path)(JSON.parse(json) as Record<string, unknown>);

describe('the id of a session that was created', () => {
  test('is found at its path', () => {
    expect(read('data.0.id', '{"data":[{"id":"s-1"}]}')).toMatchObject({ reply: { id: 's-1' } });
  });

  test.each(['constructor.name', 'data.constructor.name', '__proto__.id'])(
    'is not the inherited value of JavaScript at %s',
    (path) =>
      expect(read(path, '{"data":{}}')).toMatchObject({
        broken: expect.stringContaining(`no session id at ${path}: `) as string,
      }),
  );

  test.each([
    ['{"success":true,"session":{"id":"s-1"}}', 'the reply has the keys success, session'],
    ['{"data":{"id":"s-1","state":"open"}}', 'data has the keys id, state'],
    ['{"data":{}}', 'data has no keys'],
    ['{"data":null}', 'data is null'],
    ['{"data":[{"sessionId":"s-1"}]}', 'data is a list'],
    ['{"data":{"sessionId":17}}', 'that is of type number'],
    ['{"data":{"sessionId":""}}', 'that is an empty text'],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 99 }, (_, i) => [`k${String(i)}`, 1]))), 'the reply has the keys k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, ...'],
    [`{"${'x'.repeat(61)}":1,"a\\u001b[2J\\nb":2}`, 'the reply has the keys (a long name), a [2J b'],
  ])('is reported missing in %s with the available members', (json, words) =>
    expect(read('data.sessionId', json)).toEqual({ broken: `no session id at data.sessionId: ${words}` }),
  ); // prettier-ignore
});
