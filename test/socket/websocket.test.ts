import { describe, expect, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { conduct, conductClosely } from '../support/conduct.ts';
import { exampleProtocol, openSocketService, refuseUpgrade, uncorrelated, type SocketService } from '../support/socket-service.ts';

/** Runs sessions over the example protocol. */
const play = ({ baseUrl }: Pick<SocketService, 'baseUrl'>, scenario: Partial<Scenario> = {}): Promise<Result> =>
  conduct(
    { turns: 3, ...scenario, target: { protocol: exampleProtocol, ...scenario.target } } as Partial<Scenario>,
    { baseUrl },
  );

const nonZero = (counts: Record<string, number>): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

describe('sessions over WebSocket', () => {
  test('have one socket each, which their creation opens and their end closes', async () => {
    const service = await openSocketService();
    const { result, left } = await conductClosely(
      { sessions: 4, turns: 3, load: { concurrency: 2 }, target: { protocol: exampleProtocol } },
      service,
    );
    expect(nonZero(result.outcomes.attempts)).toEqual({ ok: 12 });
    expect(nonZero(result.outcomes.createAttempts)).toEqual({ ok: 4 });
    expect(result.books.balanced).toBe(true);
    expect(service.counted).toEqual({ upgrades: 4, sockets: 4, messages: 12 });
    expect(service.closedWith).toEqual([1000, 1000, 1000, 1000]);
    expect(left).toEqual({ connections: 0, listeners: 0 });
    expect(result.latency.firstToken.count).toBe(12);
    expect(result.latency.gap.count).toBe(24);
    expect(result.tokens).toMatchObject({ input: { tokens: 60 }, output: { tokens: 36 } });
    expect(result.concurrency.sockets?.max).toBeGreaterThan(0);
    expect(result.outcomes).toMatchObject({ reopened: 0, unsolicited: 0 });
  });
});
