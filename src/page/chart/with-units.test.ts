import { describe, expect, it } from 'vitest';
import { withUnits } from './with-units.ts';

describe('withUnits', () => {
  it.each([
    ['was 10.4 %; at most 99 ms', 'was 10.4_%; at most 99_ms'],
    ['turn.p95 < 300 ms', 'turn.p95 <_300_ms'],
    ['retries.amplification < 1.05 was 1.14', 'retries.amplification <_1.05 was 1.14'],
    ['>= 1', '>=_1'],
    ['after 1m 04s', 'after 1m_04s'],
    ['5 hosts, 2 shards, 3 runs', '5 hosts, 2 shards, 3 runs'],
  ])('keeps a value next to its unit and its operator: %s', (text, joined) => {
    expect(withUnits(text)).toBe(joined.replaceAll('_', '\u00a0'));
  });
});
