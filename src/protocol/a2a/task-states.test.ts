import { expect, test } from 'vitest';
import { judgeResult } from './judge-task.ts';

test.each(['constructor', '__proto__', 'toString'])('a task in the unknown state %s has not ended', (state) => {
  const result = { task: { id: 't', contextId: 'c', status: { state } } };
  expect(judgeResult({ result })).toEqual({ broken: expect.stringContaining('the task has not ended: ') as string });
});
