import { describe, expect, test } from 'vitest';
import { instant } from '../../base/time.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { TokenFailure, type Token } from './token.ts';
import { TokenKeeper } from './token-keeper.ts';

/** A source whose answers are scripted, in virtual time. */
class Lab {
  readonly clock = new VirtualClock();
  readonly secrets: string[] = [];
  readonly sent: string[] = [];
  asked = 0;
  readonly #give: (asked: number, lab: Lab) => Partial<Token> | Promise<Partial<Token>>;

  constructor(give: (asked: number, lab: Lab) => Partial<Token> | Promise<Partial<Token>>) {
    this.#give = give;
  }

  async open(random: () => number = () => 0.5): Promise<TokenKeeper> {
    const keeper = await TokenKeeper.open({
      obtain: async () => ({
        value: `token-${String(++this.asked)}`,
        endsAt: undefined,
        ...(await this.#give(this.asked, this)),
      }),
      clock: this.clock,
      random,
      authorize: (credential) => ({ Authorization: credential }),
      keepSecret: (token) => this.secrets.push(token),
      redact: (text) => text,
    });
    keeper.follow((fields) => this.sent.push(`${String(this.clock.now())} ${String(fields['Authorization'])}`));
    return keeper;
  }
}

const hang = (): Promise<never> => new Promise(() => undefined);
const fail = (why: string): never => {
  throw new TokenFailure(why);
};

describe('a token that ends', () => {
  test('is renewed at four fifths of its life, again and again, and is a secret before it is sent', async () => {
    const lab = new Lab((_, { clock }) => ({ endsAt: clock.wallNow() + 1000 }));
    const keeper = await lab.open();
    await lab.clock.run(instant(2500));
    expect(lab.sent).toEqual(['0 token-1', '800 token-2', '1600 token-3', '2400 token-4']);
    expect(lab.secrets).toEqual(['token-1', 'token-2', 'token-3', 'token-4']);
    expect(keeper.counts).toEqual({ fetched: 4, failed: 0, retried: 0 });
    keeper.close();
    expect(lab.clock.pending).toBe(0);
  });

  test('is renewed up to a tenth of its life earlier or later', async () => {
    for (const [drawn, at] of [
      [0, 700],
      [1, 900],
    ] as const) {
      const lab = new Lab((asked, { clock }) => ({ endsAt: clock.wallNow() + (asked === 1 ? 1000 : 1e9) }));
      const keeper = await lab.open(() => drawn);
      await lab.clock.run(instant(1000));
      expect(parseFloat(lab.sent[1] ?? '')).toBeCloseTo(at);
      keeper.close();
    }
  });

  test('stays in use while renewal fails and is retried after doubling delays', async () => {
    const asked: number[] = [];
    const lab = new Lab((number, { clock }) => {
      asked.push(clock.now());
      return number > 1 && number < 6 ? fail('no') : { endsAt: clock.wallNow() + 10_000 };
    });
    const keeper = await lab.open(() => 1);
    await lab.clock.run(instant(10_000));
    // Renewed at nine tenths, as drawn; waits of 100, 200, 400 and 800 ms.
    expect(asked).toEqual([0, 9000, 9100, 9300, 9700]);
    expect(keeper.credential).toBe('token-1');
    await lab.clock.run(instant(11_000));
    expect(keeper.credential).toBe('token-6');
    expect(keeper.counts).toEqual({ fetched: 2, failed: 4, retried: 0 });
    keeper.close();
  });

  test('that is returned again, from a cache, is requested at most once a second', async () => {
    const lab = new Lab((_, { clock }) => ({ value: 'same', endsAt: clock.wallStart + 5000 }));
    const keeper = await lab.open();
    await lab.clock.run(instant(5000));
    expect(lab.asked).toBeLessThanOrEqual(4);
    expect(lab.sent).toEqual(['0 same']);
    expect(keeper.counts.fetched).toBe(1);
    keeper.close();
  });

  test('must be valid at the start', async () => {
    await expect(new Lab((_, { clock }) => ({ endsAt: clock.wallNow() })).open()).rejects.toThrow(
      /had already expired/,
    );
    await expect(new Lab(() => fail('no token')).open()).rejects.toThrow('no token');
  });
});

describe('a refusal', () => {
  test('far from the end of its token is final', async () => {
    const lab = new Lab((_, { clock }) => ({ endsAt: clock.wallNow() + 1000 }));
    const keeper = await lab.open();
    await lab.clock.run(instant(700));
    expect(keeper.mayHaveEnded(lab.clock.now())).toBe(false);
    expect(await keeper.renewedSince(lab.clock.now())).toBe(false);
    expect(lab.asked).toBe(1);
    keeper.close();
  });

  test('of a token that was replaced meanwhile does not wait', async () => {
    const lab = new Lab((_, { clock }) => ({ endsAt: clock.wallNow() + 1000 }));
    const keeper = await lab.open();
    await lab.clock.run(instant(820));
    expect(keeper.mayHaveEnded(instant(790))).toBe(true);
    expect(await keeper.renewedSince(instant(790))).toBe(true);
    expect(keeper.mayHaveEnded(instant(810))).toBe(false);
    expect(lab.asked).toBe(2);
    keeper.close();
  });

  test('of a token without a known end requests another one: once for all rejections', async () => {
    const lab = new Lab(() => ({}));
    const keeper = await lab.open();
    await lab.clock.run(instant(5000));
    const sentAt = lab.clock.now();
    expect(keeper.mayHaveEnded(sentAt)).toBe(true);
    const renewed = Array.from({ length: 50 }, () => keeper.renewedSince(sentAt));
    expect(new Set(await Promise.all(renewed))).toEqual(new Set([true]));
    expect(lab.asked).toBe(2);
    keeper.close();
    expect(lab.clock.pending).toBe(0);
  });

  test('is final if the source returns the same token again', async () => {
    const lab = new Lab(() => ({ value: 'the-only-one' }));
    const keeper = await lab.open();
    expect(await keeper.renewedSince(lab.clock.now())).toBe(false);
    keeper.close();
  });

  test('waits for a renewal that is in progress, and for half a minute at most', async () => {
    const lab = new Lab((asked, { clock }) => (asked === 1 ? { endsAt: clock.wallNow() + 1000 } : hang()));
    const keeper = await lab.open();
    await lab.clock.run(instant(1500));
    expect(lab.asked).toBe(2);
    let lost: string | undefined;
    void keeper.lost.then((why) => (lost = why));
    void keeper.renewedSince(lab.clock.now());
    void keeper.renewedSince(lab.clock.now());
    await lab.clock.run(instant(31_000));
    expect(lost).toBeUndefined();
    await lab.clock.run(instant(32_000));
    expect(lost).toMatch(/none could be obtained for 30 s/);
    expect(lab.asked).toBe(2);
    keeper.close();
  });

  test('that fails is reported with its reason', async () => {
    const lab = new Lab((asked, { clock }) =>
      asked === 1 ? { endsAt: clock.wallNow() + 1000 } : fail('the server is away'),
    );
    const keeper = await lab.open();
    await lab.clock.run(instant(1000));
    void keeper.renewedSince(lab.clock.now());
    await lab.clock.run(instant(40_000));
    expect(await keeper.lost).toContain('the server is away');
    keeper.close();
    expect(lab.clock.pending).toBe(0);
  });

  test('waits no longer once the run has ended', async () => {
    const lab = new Lab((asked) => (asked === 1 ? {} : hang()));
    const keeper = await lab.open();
    const waiting = keeper.renewedSince(lab.clock.now());
    keeper.close();
    expect(await waiting).toBe(false);
    expect(lab.clock.pending).toBe(0);
  });
});
