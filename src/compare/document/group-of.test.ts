import { expect, test } from 'vitest';
import { finishedRun, resultOf } from '../../../test/support/synthetic-result.ts';
import { groupOf } from './group-of.ts';

const result = resultOf(finishedRun());
const spoken = (target: Partial<typeof result.target>) =>
  groupOf({ ...result, target: { ...result.target, ...target } });

test('streamed replies, and those of another protocol, have a group of their own', () => {
  const groups = [spoken({}), spoken({ stream: true }), spoken({ protocol: 'openai-chat' })];
  expect(new Set(groups.map(({ loadHash }) => loadHash)).size).toBe(3);
});
