import { expect, test } from 'vitest';
import { surroundings } from '../../../test/support/synthetic-result.ts';
import { workersOf } from '../../../test/support/synthetic-workers.ts';
import type { Worker } from '../../result/sections/worker.ts';
import { machineClassOf } from './group-of.ts';

const { environment } = surroundings;
const classOf = (workers: readonly Worker[] | null): string =>
  machineClassOf(environment && { ...environment, workers: workers && [...workers] });

test('a run over several shards is in a history of its own for every number of them and class of their machines', () => {
  const big = { cores: 16 };
  const classes = [null, workersOf(2), workersOf(3), workersOf(3, [big]), workersOf(3, [big, big])].map(classOf);
  expect(new Set(classes).size).toBe(classes.length);
  expect(classOf(workersOf(3, [{}, {}, big]))).toBe(classOf(workersOf(3, [big])));
});
