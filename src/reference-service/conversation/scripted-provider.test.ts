import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { embeddedOptions, type EmbeddedOptions } from '../../scenario/embedded.ts';
import { StoredConversation } from './conversation.ts';
import type { ProviderReply, Prompt } from './provider.ts';
import { scriptedProvider } from './scripted-provider.ts';

const promptOf = (message: string): Prompt => ({
  briefing: { write: () => '', facts: [], missing: [] },
  earlier: new StoredConversation({ turns: 10, characters: 1e6 }),
  message,
});

function openProvider(options: EmbeddedOptions) {
  const clock = new VirtualClock();
  const provider = scriptedProvider(embeddedOptions.parse(options), clock);
  const ended: { message: string; at: number }[] = [];
  const ask = (message: string): void => {
    void Promise.resolve(provider.answer(promptOf(message))).then(() => ended.push({ message, at: clock.now() }));
  };
  return { clock, provider, ended, ask };
}

const words = ['a', 'b', 'c', 'd', 'e'];

describe('the scripted provider', () => {
  test('answers immediately without latency', () => {
    const { provider } = openProvider({ capacity: 1 });
    expect(provider.answer(promptOf('Hi'))).toEqual({
      kind: 'reply',
      text: 'Turn 1: you said "Hi".',
    } satisfies ProviderReply);
  });

  test('delays every reply by its latency, all concurrently without a capacity', async () => {
    const { clock, ended, ask } = openProvider({ latency: '200ms' });
    words.forEach(ask);
    await clock.run();
    expect(ended).toEqual(words.map((message) => ({ message, at: 200 })));
  });

  test('generates as many concurrent replies as its capacity, the others in order of arrival', async () => {
    const { clock, provider, ended, ask } = openProvider({ latency: '100ms', capacity: 2 });
    words.forEach(ask);
    await clock.run(50);
    expect(provider.load()).toEqual({ busy: 2, waiting: 3 });
    await clock.run();
    expect(ended.map(({ message, at }) => `${message}@${String(at)}`)).toEqual([
      'a@100',
      'b@100',
      'c@200',
      'd@200',
      'e@300',
    ]);
    expect(provider.load()).toEqual({ busy: 0, waiting: 0 });
  });

  test('draws its latencies from its distribution, the same for the same seed', async () => {
    const latencies = async (seed: number): Promise<number[]> => {
      const { clock, ended, ask } = openProvider({ latency: { median: '200ms', sigma: 0.5 }, seed });
      for (let index = 0; index < 2000; index++) ask(String(index));
      await clock.run();
      return ended.sort((a, b) => Number(a.message) - Number(b.message)).map(({ at }) => at);
    };
    const drawn = await latencies(1);
    // The share below the median: five standard deviations of a binomial with n = 2,000 and p = 0.5 are 112.
    expect(Math.abs(drawn.filter((at) => at < 200).length - 1000)).toBeLessThan(112);
    expect(await latencies(1)).toEqual(drawn);
    expect(await latencies(2)).not.toEqual(drawn);
  });
});
