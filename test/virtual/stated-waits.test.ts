import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { witness, type ServiceModel } from '../support/virtual-run.ts';

type Refusal = Partial<ReturnType<ServiceModel>>;

/** Runs sessions of one turn, one after another. The first attempt of each is refused, the second one is ok. */
async function run(refusals: readonly Refusal[], scenario: Partial<Scenario> = {}): Promise<Result> {
  let messages = 0;
  const retry = { base: '1s', jitter: 'none', maxAttempts: 2 } as const;
  const { result } = await witness(
    { sessions: refusals.length, turns: 1, load: { concurrency: 1 }, retry, ...scenario },
    (operation) => {
      const refusal = operation === 'message' && messages++ % 2 === 0 ? refusals[(messages - 1) / 2] : undefined;
      return { afterMs: 100, ...(refusal && { status: 429, body: '{}', ...refusal }) };
    },
  );
  expect(result.books.broken).toEqual([]);
  return result;
}

const warningOf = ({ warnings }: Result) => warnings.find(({ code }) => code === 'waits_not_read');
const unread: readonly Refusal[] = [
  { retryAfter: 'soon' },
  { retryAfter: 'soon' },
  { waits: { 'x-retry-after': '5' } },
  { waits: { 'retry-after-ms': '-5' } },
  { waits: { 'x-ratelimit-reset': 'later' } },
];

test('stated waits are used as Retry-After is, and their uses sum to the retries', async () => {
  const { retries, warnings } = await run([
    { retryAfter: '1.5' },
    { retryAfter: '9', waits: { 'retry-after-ms': '2500' } },
    { status: 503, waits: { 'ratelimit-reset': '3' } },
    { waits: { 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '4s' } },
    { status: 500, waits: { 'ratelimit-reset': '3' } },
    {},
  ]);
  expect(retries).toMatchObject({
    retries: 6,
    retryAfter: { obeyed: 4, violated: 0, absent: 2, invalid: 0, tooLong: 0 },
    backoffPlannedMs: 1500 + 2500 + 3000 + 4000 + 1000 + 1000,
  });
  expect(warnings).toEqual([]);
});

describe('waits that are not read', () => {
  test('are counted as invalid, and a warning has their number and the most frequent one', async () => {
    const result = await run([...unread, { retryAfter: '0' }, { retryAfter: 'Thu, 01 Jan 1970 00:00:00 GMT' }]);
    expect(result.retries).toMatchObject({ retryAfter: { obeyed: 1, absent: 0, invalid: 6 }, backoffPlannedMs: 7000 });
    expect(warningOf(result)).toMatchObject({
      message:
        '5 refusals stated a wait that was not read, such as `Retry-After: soon`: retries waited only for the backoff of their policy.',
    });
  });

  test('are counted without a retry, too, and in creations', async () => {
    const { result } = await witness(
      { sessions: 2, turns: 1, retry: { maxAttempts: 1 }, load: { concurrency: 1 } },
      (operation) => ({ afterMs: 1, ...(operation === 'create' && { status: 429, body: '{}', retryAfter: 'soon' }) }),
    );
    expect(warningOf(result)?.message).toMatch(/^2 refusals stated/);
  });

  test('are not more than twenty different ones', async () => {
    const result = await run(Array.from({ length: 60 }, (_, at) => ({ retryAfter: `soon ${String(at)}` })));
    expect(warningOf(result)?.message).toMatch(/^60 refusals stated a wait that was not read, such as `\(others\)`/);
  });
});
