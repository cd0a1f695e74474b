import { describe, expect, test } from 'vitest';
import type { ProtocolName } from '../../src/protocol/registry/registry.ts';
import { checkAt, idsOf, ruleIds } from '../support/check-at.ts';
import { isApplicable } from './row.ts';
import { galleryRows } from './rows.ts';

const peers = await Promise.all(
  Object.entries(galleryRows).flatMap(([name, { cells }]) => {
    const checked = cells['check rules'];
    return isApplicable(checked) ? [checked.load().then((rules) => ({ name: name as ProtocolName, ...rules }))] : [];
  }),
);

describe.each(peers)('the rules of $name', ({ name, broken, sound, maxExchanges }) => {
  test('all pass against the reference service', async () => {
    const found = await checkAt(name, await sound());
    expect(found.rules.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
    expect(idsOf(found, 'pass')).toEqual(await ruleIds(name));
    expect(found.exchanges).toBeLessThanOrEqual(maxExchanges);
  });

  test('are each broken below', async () => {
    expect(new Set(broken.map(([id]) => id))).toEqual(new Set(await ruleIds(name)));
  });

  test.each(broken)('%s is reported as broken if only it is broken', async (id, open) => {
    const found = await checkAt(name, await open());
    const faulty = found.rules.filter(({ verdict }) => verdict === 'fail' || verdict === 'warn');
    expect(faulty.map((rule) => [rule.id, rule.seen])).toEqual([[id, expect.any(String)]]);
    expect(faulty.map(({ standing, verdict }) => [standing, verdict])).toEqual([
      expect.toBeOneOf([
        ['required', 'fail'],
        ['recommended', 'warn'],
      ]),
    ]);
  });
});
