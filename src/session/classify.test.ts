import { describe, expect, test } from 'vitest';
import { judgeCreation } from './classify.ts';

const read = (path: string, json: string) => judgeCreation(path)(JSON.parse(json) as object);

describe('the id of a session that was created', () => {
  test('is found at its path', () => {
    expect(read('data.0.id', '{"data":[{"id":"s-1"}]}')).toEqual({ value: 's-1' });
  });

  test.each(['constructor.name', 'data.constructor.name', '__proto__.id'])('is not what JavaScript has at %s', (path) =>
    expect(read(path, '{"data":{}}')).toEqual({ broken: `no session id at ${path}` }),
  );
});
