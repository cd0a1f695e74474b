import { expect, test } from 'vitest';
import { readScenario } from './read-scenario.ts';
import { scenarioOptions } from './scenario-options.ts';

const check = (): boolean => true;

test.each([
  [{ sessions: 0 }, 'sessions: must be at least 1, got 0'],
  [{ sessions: 1.5 }, 'sessions: must be a whole number, got 1.5'],
  [{ sessions: '3' }, 'sessions: expected type number, got "3"'],
  [{ sessions: [3] }, 'sessions: expected type number, got array'],
  [{ load: { concurrency: -1 } }, 'load.concurrency: must be at least 1, got -1'],
  [{ load: { concurrency: 1e300 } }, 'load.concurrency: must be at most 1000000, got 1e+300'],
  [{ load: { sessionsPerSecond: -1 } }, 'load.sessionsPerSecond: must be above 0, got -1'],
  [{ timeout: 0 }, 'timeout: must be above 0, got 0'],
  [{ timeout: 'soon' }, expect.stringMatching(/^timeout: expected a duration [^"]+, got "soon"$/)],
  [{ maxTurns: 1e17 }, 'maxTurns: must be at most 9007199254740991, got 100000000000000000'],
  [{ turns: 0 }, 'turns: must be at least 1, got 0'],
  [
    { gates: { 'turn.p95': { gate: '< 1s', abort: 'yes' } } },
    'gates.turn.p95.abort: expected true or false, got "yes"',
  ],
  [{ checks: { 'has price': check } }, 'checks.has price: names are letters, digits, - and _, and do not begin with -'],
  [{ retry: false }, "retry: expected a policy, or 'none' for a single attempt, got false"],
  [{ retry: { 'a b': { maxAttempts: 2 } } }, 'retry.a b: names are letters, digits, - and _'],
  [
    { retry: { some: { jitter: 1 } } },
    'retry.some.jitter: expected one of "none"|"full"|"equal"|"decorrelated", got 1',
  ],
  [{ target: { apiKey: 17 } }, 'target.apiKey: expected type string, got number'],
  [{ embedded: { keys: [{ key: 'a b' }] } }, expect.stringMatching(/^embedded\.keys\[0\]\.key: .*without spaces$/)],
  [{ target: { baseUrl: 'ftp://me:secret@host' } }, expect.not.stringContaining('secret')],
  [{ target: { localAddresses: [] } }, 'target.localAddresses: must not be empty'],
  [{ name: undefined }, 'name: is required (a string)'],
  [{ retry: { jitter: 'some' } }, 'retry.jitter: expected one of "none"|"full"|"equal"|"decorrelated", got "some"'],
])('%j is refused in plain language: %s', (part, words) => {
  const read = readScenario({ name: 'x', sessions: 1, messages: ['Hi'], ...part });
  const problems = 'problems' in read ? read.problems.map(({ path, message }) => `${path}: ${message}`) : [];
  expect(problems).toEqual([words]);
});

const wrong = [-1, -1.5, 1e300, 'x', [], true];

test.each(scenarioOptions.map(({ name }) => name))('a wrong value of %s is one problem', (name) => {
  for (const value of wrong) {
    const part = name.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
    const read = readScenario({ name: 'x', sessions: 1, messages: ['Hi'], ...part });
    const paths = 'problems' in read ? read.problems.map(({ path }) => path) : [];
    expect(paths).toEqual([...new Set(paths)]);
  }
});

test('an unknown key does not hide the problems of other options, which it may have named', () => {
  const problemsOf = (author: object): string[] => {
    const read = readScenario({ name: 'x', messages: ['Hi'], ...author });
    return 'problems' in read ? read.problems.map(({ path, message }) => `${path}: ${message}`) : [];
  };
  const unknown = ": unknown key 'sesions': did you mean 'sessions'?";
  expect(problemsOf({ sesions: 3 })).toEqual([unknown]);
  expect(problemsOf({ sesions: 0 })).toEqual([unknown, 'sessions: must be at least 1, got 0']);
  expect(problemsOf({ other: 3 })).toEqual([
    expect.stringMatching(/^: unknown key 'other'/),
    'sessions: set sessions, duration, or both',
  ]);
  const nested = {
    sessions: 1,
    retry: { maxAtempts: 2 },
    maxCost: 5,
    load: { stages: [{ duration: '1m', concurrency: 1, rte: 1 }] },
  };
  expect(problemsOf(nested)).toEqual([
    expect.stringMatching(/^load\.stages\[0\]: unknown key 'rte'/),
    "retry: unknown key 'maxAtempts': did you mean 'maxAttempts'?",
    expect.stringMatching(/^maxCost: needs cost/),
  ]);
});
