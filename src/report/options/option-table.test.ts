import { expect, test } from 'vitest';
import { optionSections, optionsIn } from '../../scenario/scenario-options.ts';
import { optionTable } from './option-table.ts';

const rows = new Map(
  optionTable()
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [name = '', type, value, limits, around] = line.slice(2).split(/(?<!\\) \| /);
      return [name.replaceAll('`', ''), [type, value, limits, around]] as const;
    }),
);

test.each([
  ['name', ['`string`', 'required', 'at most 100 letters, digits, `-`, `_`, `.` and spaces', '']],
  ['timeout', ['`Duration`', "`'30s'`", 'above 0', '`--timeout` `CHAT_LOAD_TIMEOUT`']],
  [
    'load.concurrency',
    ['`number`', '`10` sessions', 'whole, 1 to 1,000,000', '`--concurrency` `CHAT_LOAD_CONCURRENCY`'],
  ],
  ['load.sessionsPerSecond', ['`number`', 'none', 'above 0, at most 1,000,000', '`--rate` `CHAT_LOAD_RATE`']],
  ['load.arrivals', ["`'constant' \\| 'poisson' \\| 'gamma'`", "`'constant'`", '', '']],
  ['load.stages[].duration', ['`Duration`', 'required', '', '']],
  ['seed', ['`number`', '`1`', 'whole, 0 to 2^53 - 1', '`--seed` `CHAT_LOAD_SEED`']],
  ['maxHeadBytes', ['`number`', '`65536` bytes', 'whole, 1,024 to 2^53 - 1', '']],
  ['checks', ['`Readonly<Record<string, ReplyCheck>>`', 'none', 'names of letters, digits, `-` and `_`', '']],
  ['maxTurns', ['`number`', 'unlimited', 'whole, 1 to 2^53 - 1', '`--max-turns` `CHAT_LOAD_MAX_TURNS`']],
  ['stopWhen.noSuccess', ['`false \\| Duration`', "`'1m'`", 'above 0', '']],
  ['retry.budget.share', ['`number`', 'required', 'above 0, at most 1', '']],
  ['target.apiKey', ['`string`', 'none', 'not empty', '`CHAT_LOAD_API_KEY`']],
  ['target.createSession.body', ['`Readonly<Record<string, unknown>>`', "`{ agentId: '{{agentId}}' }`", '', '']],
  ['integrity.idle', ['`Duration`', "`'5m'`", '', '']],
  ['embedded.capacity', ['`number \\| null`', 'none', 'whole, 1 to 2^53 - 1', '']],
  ['embedded.keys', ['`KeyOptions[]`', 'built in', 'at least one', '']],
])('the page of options states type, default, limits and flag of %s', (name, cells) => {
  expect(rows.get(name)).toEqual(cells);
});

test('the page of options has a row for every option that an editor completes', () => {
  expect([...rows.keys()].sort()).toEqual(
    optionSections
      .flatMap(optionsIn)
      .map(({ name }) => name)
      .sort(),
  );
});
