import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { folderWith, listable } from '../../../../test/support/results-folder.ts';
import { sampleCapacity } from '../test/sample-capacity.ts';
import { comparedKind } from '../../../app/compare/compared-kind.ts';

const capacity = (label: string) => sampleCapacity({}, { label });

describe('the kind of two sides', () => {
  let mixed: string;
  let capacities: string;

  beforeAll(async () => {
    mixed = await folderWith({
      'run.json': listable({ label: 'both' }),
      'old.json': listable({ label: 'measured' }),
      'capacity-a.json': capacity('both'),
      'capacity-b.json': capacity('searched'),
      'capacity-c.json': capacity('searched too'),
    });
    capacities = await folderWith({ 'a.json': capacity('v1'), 'b.json': capacity('v2') });
  });

  const kindOf = async (base: string, head: string, folder = mixed) => {
    const kind = await comparedKind({
      base: { name: 'base', sources: [base], label: undefined, folder },
      head: { name: 'head', sources: [head], label: undefined, folder },
    });
    return kind?.singular ?? 'result';
  };
  const inMixed = (name: string): string => join(mixed, name);

  test('follows from the kind of files, and the contents of folders', async () => {
    expect(await kindOf(inMixed('run.json'), inMixed('old.json'))).toBe('result');
    expect(await kindOf(inMixed('capacity-a.json'), inMixed('capacity-b.json'))).toBe('capacity');
    expect(await kindOf(inMixed('capacity-*.json'), capacities)).toBe('capacity');
    expect(await kindOf(mixed, mixed)).toBe('result');
  });

  test('is the kind of the other side for a folder or a label with both', async () => {
    expect(await kindOf(mixed, inMixed('capacity-b.json'))).toBe('capacity');
    expect(await kindOf(capacities, mixed)).toBe('capacity');
    expect(await kindOf('label:both', 'label:searched')).toBe('capacity');
    expect(await kindOf('label:both', 'label:measured')).toBe('result');
    expect(await kindOf('label:both', 'label:both')).toBe('result');
  });

  test('is the kind that has the label in a folder with both', async () => {
    expect(await kindOf('label:searched', 'label:searched too')).toBe('capacity');
    expect(await kindOf('label:v1', 'label:v2', capacities)).toBe('capacity');
  });

  test('is left to the reader if the file does not exist', async () => {
    expect(await kindOf('label:none', 'label:measured')).toBe('result');
    expect(await kindOf('nowhere', 'nowhere.json')).toBe('result');
  });

  test.each([
    ['a result and a capacity', 'run.json', 'capacity-a.json'],
    ['a pattern with both', '*.json', 'run.json'],
  ])('cannot be both: %s', async (_, base, head) => {
    await expect(kindOf(inMixed(base), inMixed(head))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('A result of a run cannot be compared with a capacity') as string,
    });
  });

  test('cannot be both: labels of one kind each', async () => {
    await expect(kindOf('label:measured', 'label:searched')).rejects.toThrow(
      'label:measured has results, label:searched capacities',
    );
  });
});
