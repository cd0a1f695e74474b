import { expect, test } from 'vitest';
import { readScenario } from './read-scenario.ts';

test.each([
  [{ sessions: 0 }, 'sessions: must be at least 1'],
  [{ sessions: 1.5 }, 'sessions: must be a whole number'],
  [{ sessions: '3' }, 'sessions: expected type number, got string'],
  [{ timeout: 0 }, 'timeout: must be above 0'],
  [{ maxTurns: 1e17 }, 'maxTurns: must be at most 9007199254740991'],
  [{ target: { localAddresses: [] } }, 'target.localAddresses: must not be empty'],
  [{ name: undefined }, 'name: is required (a string)'],
  [{ retry: { jitter: 'some' } }, 'retry.default.jitter: expected one of "none"|"full"|"equal"|"decorrelated"'],
])('%j is refused in plain words: %s', (part, words) => {
  const read = readScenario({ name: 'x', sessions: 1, messages: ['Hi'], ...part });
  const problems = 'problems' in read ? read.problems.map(({ path, message }) => `${path}: ${message}`) : [];
  expect(problems).toEqual([words]);
});
