import { describe, expect, test } from 'vitest';
import { type Conversation, type CountedConversations, countUserTurns } from '../dataset/conversation.ts';
import { fromFile, type ConversationFileOptions } from '../scenario/from-file.ts';
import { ms } from '../base/time.ts';
import { conversationTurns } from './conversations.ts';
import { forecast } from './forecast.ts';
import { meanTurns } from './distributions.ts';
import { sampleDigest, planSession } from './session-plan.ts';
import { resolveScenario, type ResolvedScenario } from './resolve-scenario.ts';
import { steadyLoad } from './level-load.ts';

/** Conversation i has i + 1 turns. */
const conversations = Array.from({ length: 4 }, (_, index): Conversation => ({
  messages: [
    ...(index === 0 ? [{ role: 'system', content: 'Be {{brief}}.' } as const] : []),
    ...Array.from({ length: index + 1 }, (_each, turn) => [
      { role: 'user', content: `${String(index)}.${String(turn + 1)} {{x}}` } as const,
      { role: 'assistant', content: 'Well' } as const,
    ]).flat(),
  ],
}));

let reads = 0;
const source: CountedConversations = {
  count: conversations.length,
  digest: 'd',
  at: (index) => {
    reads += 1;
    return conversations[index] ?? { messages: [] };
  },
  turnsAt: (index) => countUserTurns(conversations[index] ?? { messages: [] }),
  turnCounts: conversations.map((each) => [countUserTurns(each), 1] as const),
  skipped: { lines: 7, first: Array.from({ length: 7 }, (_, index) => ({ line: index + 1, why: 'it is not JSON' })) },
  merged: 0,
  changed: () => undefined,
};

const resolved = (
  options: ConversationFileOptions = {},
  scenario: object = {},
  file = 'talks.jsonl',
): ResolvedScenario =>
  resolveScenario(
    { name: 'x', sessions: 12, messages: { ...fromFile(file, options), source: () => source }, ...scenario },
    { flags: {}, environment: {} },
  );
const saidIn = ({ script }: ResolvedScenario, number: number): string[] => {
  const session = planSession(script, number);
  return Array.from({ length: session.foreseen }, (_, index) => session.message(index + 1));
};

describe('sessions with conversations of a file', () => {
  test('send the user messages of one conversation unchanged, without templates', () => {
    const inOrder = resolved({ order: 'inOrder' });
    expect(saidIn(inOrder, 3)).toEqual(['2.1 {{x}}', '2.2 {{x}}', '2.3 {{x}}']);
    expect([1, 4, 5, 8].map((number) => saidIn(inOrder, number).length)).toEqual([1, 4, 1, 4]);
  });

  test('take each conversation equally often by seed, the same by the same seed', () => {
    const random = resolved();
    const drawn = Array.from({ length: 4000 }, (_, index) => planSession(random.script, index + 1).turns);
    // Four standard deviations of 1000.
    for (const turns of [1, 2, 3, 4])
      expect(Math.abs(drawn.filter((each) => each === turns).length - 1000)).toBeLessThan(110);
    const turnsWith = (seed: number) => {
      const { script } = resolved({}, { seed });
      return Array.from({ length: 40 }, (_, index) => planSession(script, index + 1).turns);
    };
    expect(turnsWith(1)).toEqual(drawn.slice(0, 40));
    expect(turnsWith(2)).not.toEqual(turnsWith(1));
  });

  test('have at most the number of turns in the scenario', () => {
    const bounded = resolved({ order: 'inOrder' }, { turns: 2 });
    expect([1, 2, 3, 4].map((number) => planSession(bounded.script, number).turns)).toEqual([1, 2, 2, 2]);
    expect(saidIn(bounded, 4)).toEqual(['3.1 {{x}}', '3.2 {{x}}']);
    expect(meanTurns(bounded.plan.turns)).toBe(1.75);
    expect(() => resolved({}, { turns: { min: 1, max: 2 } })).toThrow(
      'turns: with fromFile it must be a number: the maximum turns of a session',
    );
  });

  test('are read only for their texts: turns are known without', async () => {
    const { plan, script } = resolved({ order: 'inOrder' });
    reads = 0;
    expect(forecast(plan, script, ms(100))).toMatchObject({ sessions: 12, turns: 30 });
    expect(reads).toBe(0);
    const session = planSession(script, 4);
    for (let turn = 1; turn <= 4; turn++) session.message(turn);
    expect(reads).toBe(1);
    expect(await sampleDigest(script)).toMatch(/./);
  });

  test('send the system message to the agent, unless the target or the file overrides it', () => {
    const told = (options: ConversationFileOptions, target: object = {}) =>
      planSession(resolved({ order: 'inOrder', ...options }, { target }).script, 1).instructions();
    expect(told({})).toBe('Be {{brief}}.');
    expect(told({ system: 'omit' })).toBeUndefined();
    expect(told({}, { protocol: 'openai-chat', instructions: 'Other' })).toBeUndefined();
    expect(planSession(resolved({ order: 'inOrder' }).script, 2).instructions()).toBeUndefined();
  });

  test('keep their texts in a load with its own turns, from the start again', () => {
    const steady = steadyLoad(resolved({ order: 'inOrder' }), { concurrency: 1, sessions: 1, turns: 3 });
    const session = planSession(steady.script, 2);
    expect([session.turns, session.message(2), session.message(3)]).toEqual([3, '1.2 {{x}}', '1.1 {{x}}']);
  });

  test('are checked by the integrity guard', () => {
    expect(saidIn(resolved({ order: 'inOrder' }, { integrity: true }), 2)[0]).toMatch(
      /^1\.1 \{\{x\}\}[^]*Remember this code/,
    );
  });
});

describe('the plan of conversations of a file', () => {
  test('counts them, and has the mean of their turns', () => {
    const { plan } = resolved();
    expect([plan.messages.count, meanTurns(plan.turns)]).toEqual([4, 2.5]);
    expect(plan.conversations).toMatchObject({ file: 'talks.jsonl', order: 'random', skipped: { lines: 7 } });
    expect(plan.conversations?.skipped.first).toHaveLength(5);
    expect(
      resolveScenario({ name: 'x', sessions: 1, messages: ['Hi'] }, { flags: {}, environment: {} }).plan,
    ).not.toHaveProperty('conversations');
  });

  test('hashes the contents of the file and how they are used, not its name', () => {
    const hash = (...given: Parameters<typeof resolved>): string => resolved(...given).plan.hash;
    expect(hash({}, {}, 'other.jsonl')).toBe(hash());
    const others = [hash({ order: 'inOrder' }), hash({ system: 'omit' }), hash({}, { turns: 2 })];
    expect(new Set([hash(), ...others]).size).toBe(4);
    const messages = { ...fromFile('talks.jsonl'), source: () => ({ ...source, digest: 'e' }) };
    expect(hash({}, { messages })).not.toBe(hash());
  });

  test.each([
    [{ file: 'a.jsonl' }, 'messages: the file was not read: load the scenario from a file'],
    [{ file: '' }, 'messages.file: must not be empty'],
    [{ file: 'a', order: 'inorder' }, 'messages.order: expected one of "random"|"inOrder"'],
    [{ file: 'a', maxMalformed: 'few' }, "messages.maxMalformed: expected a number of lines, or a share such as '1%'"],
    [{ file: 'a', maxMalformed: -1 }, 'messages.maxMalformed: must be at least 0'],
    [{ file: 'a', turn: 1 }, "messages: unknown key 'turn'"],
  ])('is rejected: %j', (messages, why) => {
    expect(() => resolved({}, { messages })).toThrow(why);
  });
});

describe('the distribution of turns', () => {
  test('keeps its mean if there are too many numbers of turns to list', () => {
    const counts = Array.from({ length: 1234 }, (_, index) => [index * 3 + 1, (index % 17) + 1] as const);
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    for (const max of [Infinity, 2000, 7]) {
      const turns = conversationTurns(counts, max);
      const mean = counts.reduce((sum, [each, count]) => sum + Math.min(each, max) * count, 0) / total;
      expect(meanTurns(turns)).toBeCloseTo(mean, 9);
      expect(turns.kind === 'weights' && turns.ranges.length <= 100).toBe(true);
    }
    expect(conversationTurns([[3, 9]])).toEqual({ kind: 'constant', turns: 3 });
    expect(conversationTurns([[3, 9]], 2)).toEqual({ kind: 'constant', turns: 2 });
  });
});
