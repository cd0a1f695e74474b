import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readDataFiles } from '../edge/disk/scenario/load-scenario.ts';
import { defineScenario } from '../scenario/define-scenario.ts';
import { rowAt, weighRows } from './pick-list.ts';
import { planSession } from './session-plan.ts';
import { resolveScenario, type ResolvedScenario } from './resolve-scenario.ts';

const resolved = (data: unknown, message: unknown = '{{pick people.name}}'): ResolvedScenario =>
  resolveScenario({ name: 'x', sessions: 1, messages: [message], data }, { flags: {}, environment: {} });

const named = [
  { name: 'a', share: 6 },
  { name: 'b', share: 0 },
  { name: 'c', share: 3 },
  { name: 'd', share: 1 },
];

const saidBy = ({ script }: ResolvedScenario, sessions: number): string[] =>
  Array.from({ length: sessions }, (_, index) => planSession(script, index + 1).message(1));

const counted = (texts: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
};

describe('rows with a weight', () => {
  test('are picked in proportion to it, by templates and functions, and the same by the same seed', () => {
    const people = { rows: named, weight: 'share' };
    const said = saidBy(resolved({ people }), 10_000);
    const counts = counted(said);
    expect(counts['b']).toBeUndefined();
    // Four standard deviations.
    for (const [name, share] of [
      ['a', 0.6],
      ['c', 0.3],
      ['d', 0.1],
    ] as const)
      expect(Math.abs((counts[name] ?? 0) - share * 10_000)).toBeLessThan(4 * Math.sqrt(10_000 * share * (1 - share)));
    const { data, messages } = defineScenario({
      name: 'x',
      sessions: 1,
      data: { people: { rows: named, weight: 'share' } },
      messages: [({ pick }) => pick('people').name],
    });
    expect(saidBy(resolved(data, messages instanceof Array ? messages[0] : undefined), 50)).toEqual(said.slice(0, 50));
  });

  test('are picked uniformly without a weight', () => {
    const rows = ['a', 'b', 'c', 'd', 'e'];
    for (const list of [rows, { rows }])
      expect(saidBy(resolved({ rows: list }, '{{pick rows}}'), 24).join('')).toBe('cabcedaaeebaacbaacabdeae');
    expect(resolved({ rows: { rows } }, '{{pick rows}}').plan).toMatchObject({
      data: resolved({ rows }, '{{pick rows}}').plan.data,
    });
  });

  test('with weight 0 are never picked, whatever the draw', () => {
    const list = weighRows([{ w: 0 }, { w: 0.1 }, { w: 0.2 }, { w: 0 }], 'w', { path: 'x', problems: [] });
    for (const drawn of [0, 0.33, 0.34, 1 - 2 ** -53, 1])
      expect([{ w: 0.1 }, { w: 0.2 }]).toContainEqual(rowAt(list, drawn));
  });

  test('have another plan than without a weight, or with another weight', () => {
    const rows = named.map((row) => ({ ...row, other: 1 }));
    const hashes = [rows, { rows, weight: 'share' }, { rows, weight: 'other' }].map(
      (people) => resolved({ people }).plan.hash,
    );
    expect(new Set(hashes).size).toBe(3);
    expect(resolved({ people: { rows, weight: 'share' } }).plan.data['people']?.count).toBe(4);
  });

  test('may be texts, as read from a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chat-load-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'people.csv'), 'name,share\na,0\nb,0.25\n');
    const scenario = { data: { people: { file: 'people.csv', weight: 'share' } } };
    const read = (await readDataFiles(scenario, folder)) as typeof scenario;
    expect(counted(saidBy(resolved(read.data), 20))).toEqual({ b: 20 });
    const wrong = { data: { people: { file: 'people.csv', wieght: 'share' } } };
    const { data } = (await readDataFiles(wrong, folder)) as typeof wrong;
    expect(() => resolved(data)).toThrow("did you mean 'weight'?");
  });
});

describe('weights that are wrong are rejected, all at once', () => {
  test.each<[string, unknown, string[]]>([
    [
      'a field that no row has',
      { rows: named, weight: 'shar' },
      ["data.people.weight: row 1: unknown field 'shar': did you mean 'share'?"],
    ],
    [
      'a field that a row lacks',
      { rows: [...named, { name: 'e' }], weight: 'share' },
      ["data.people.weight: row 5: unknown field 'share'"],
    ],
    [
      'weights that are none',
      {
        rows: [
          { name: 'a', w: -1 },
          { name: 'b', w: 'much' },
          { name: 'c', w: '' },
          { name: 'd', w: 1 },
        ],
        weight: 'w',
      },
      [
        'row 1: w must be a number that is at least 0, got -1',
        'row 2: w must be a number that is at least 0, got "much"',
        'row 3: w must be a number that is at least 0, got ""',
      ],
    ],
    ['no weight above 0', { rows: [{ name: 'a', w: 0 }], weight: 'w' }, ['data.people.weight: w is 0 in every row']],
    ['a weight that is not a name', { rows: named, weight: 3 }, ['data.people.weight: expected the name of a field']],
    ['no rows', { rows: [], weight: 'w' }, ['data.people.rows: expected rows in an array (at least one)']],
    ['rows and a file', { rows: named, file: 'x.csv' }, ["unknown key 'rows'"]],
  ])('%s', (_, people, words) => {
    const refused = (): unknown => resolved({ people });
    for (const each of words) expect(refused).toThrow(each);
  });
});
