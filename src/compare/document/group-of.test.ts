import { expect, test } from 'vitest';
import { finishedRun, resultOf, surroundings } from '../../../test/support/synthetic-result.ts';
import { groupOf, machineClassOf } from './group-of.ts';
import { workersOf } from '../../../test/support/synthetic-workers.ts';
import type { Worker } from '../../result/sections/environment.ts';

const result = resultOf(finishedRun());
const spoken = (target: Partial<typeof result.target>) =>
  groupOf({ ...result, target: { ...result.target, ...target } });

test('streamed replies, and another protocol, have separate groups', () => {
  const groups = [spoken({}), spoken({ stream: true }), spoken({ protocol: 'openai-chat' })];
  expect(new Set(groups.map(({ loadHash }) => loadHash)).size).toBe(3);
});

const { environment } = surroundings;
const classOf = (workers: readonly Worker[] | null): string =>
  machineClassOf(environment && { ...environment, workers: workers && [...workers] });

test('a run over several shards has a separate history for every number of shards and class of machines', () => {
  const big = { cores: 16 };
  const classes = [null, workersOf(2), workersOf(3), workersOf(3, [big]), workersOf(3, [big, big])].map(classOf);
  expect(new Set(classes).size).toBe(classes.length);
  expect(classOf(workersOf(3, [{}, {}, big]))).toBe(classOf(workersOf(3, [big])));
});
