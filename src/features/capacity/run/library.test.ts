import { expect, test } from 'vitest';
import { defineScenario } from '../../../scenario/define-scenario.ts';
import { searchCapacity } from './library.ts';

const scenario = defineScenario({
  name: 'library',
  sessions: 8,
  turns: 2,
  load: { concurrency: 2 },
  messages: ['Hello'],
});

test.each<[object, string]>([
  [{ tolerance: '15' }, "tolerance: expected a share such as 0.15 or '15%'"],
  [{ maxStep: '500ms' }, 'maxStep: must be at least 1s'],
  [{ pause: '2' }, "pause: expected a duration such as '250ms', '2s' or '10m', got \"2\": write '2s' for 2 seconds"],
])('the options of a search are parsed as by the command: %j is rejected', async (options, problem) => {
  await expect(searchCapacity(scenario, options)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(problem) as string,
  });
});
