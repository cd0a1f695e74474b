import { describe, expect, test } from 'vitest';
import { type Given, HonestAgent, type Place } from '../../../test/support/honest-agent.ts';
import { type Answer, okReply, refusal, SessionLab } from '../../../test/support/session-lab.ts';
import { codeOf, tagOf, type MarkKey } from '../../plan/guard-prompts.ts';
import { planSession } from '../../plan/session-plan.ts';
import { resolveScenario } from '../../plan/resolve-scenario.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { IntegrityRecord } from '../observer.ts';
import { type TurnFaults, newRecall, describeRecall } from './finding.ts';
import { openGuard } from './guard.ts';
import { SessionGuard } from './session-guard.ts';
import { ms } from '../../base/time.ts';

const active: Partial<Scenario> = {
  integrity: true,
  messages: ['Hello.', 'And?', 'What did I tell you first?'],
  turns: 5,
};
const mine: MarkKey = { seed: 1, salt: '' };
const code = codeOf(mine, 1);

type Spoil = (given: Given, place: Place) => Given;

interface Broken {
  spoil?: Spoil;
  forgets?: (place: Place) => boolean;
}

async function play(scenario: Partial<Scenario>, broken: Broken = {}, answers: (Answer | undefined)[] = []) {
  const agent = new HonestAgent();
  Object.assign(agent, broken);
  return new SessionLab(scenario, answers, { agent }).run();
}

const failuresOf = (lab: SessionLab): (readonly [number, string | undefined, string])[] =>
  lab.integrityRecords.flatMap(({ turn, failed, detail }) =>
    failed === undefined ? [] : [[turn, failed, detail] as const],
  );

/** Breaks the reply to one message of a session, counted from 1. */
const inTurn =
  (nth: number, change: (given: Given, place: Place) => Partial<Given>): Spoil =>
  (given, place) =>
    place.nth === nth ? { ...given, ...change(given, place) } : given;

const without =
  (index: number) =>
  (given: Given, { nth }: Place) => ({
    ...given,
    conversation: nth > index + 1 ? given.conversation.toSpliced(index, 1) : given.conversation,
  });

describe('an honest agent', () => {
  test('passes every check, and each is made', async () => {
    const values = { customerName: 'Ada' };
    const lab = await play({
      ...active,
      variableValues: values,
      integrity: { variables: ['customerName'] },
    });
    expect(lab.sessions[0]?.end).toBe('completed');
    const always = ['answered', 'restarted', 'crossed', 'stale', 'placeholder', 'variables', 'leakage', 'turns'];
    expect(lab.integrityRecords.map(({ checked, failed }) => [checked, failed])).toEqual([
      [always, undefined],
      [[...always, 'continuity'], undefined],
      [always, undefined],
      [[...always, 'continuity'], undefined],
      [[...always, 'continuity'], undefined],
    ]);
  });

  test('may quote earlier texts, including tags, codes and placeholders', async () => {
    const messages = ['I wrote \\{{name}} myself.', 'List what I said.', 'What did I tell you first?'];
    const lab = await play({ ...active, messages, turns: 6 });
    expect(failuresOf(lab)).toEqual([]);
    expect(lab.integrityRecords).toHaveLength(6);
  });
});

const otherTag = tagOf(mine, 7, 2);
const faults: readonly [string, string, Broken, [turn: number, detail: string]][] = [
  ['answered', 'an empty reply', { spoil: inTurn(3, () => ({ response: ' \n' })) }, [3, 'the reply is empty']],
  [
    'answered',
    'an error text instead of a reply',
    { spoil: inTurn(3, () => ({ response: 'Sorry, something went wrong.' })) },
    [3, 'the reply does not repeat its tag'],
  ],
  [
    'crossed',
    "another session's reply",
    { spoil: inTurn(2, () => ({ response: `The code you told me is ${codeOf(mine, 7)} Tag: ${otherTag}` })) },
    [2, 'the reply belongs to turn 2 of session 7'],
  ],
  [
    'stale',
    "an earlier turn's reply",
    { spoil: inTurn(3, () => ({ response: `Tag: ${tagOf(mine, 1, 2)}` })) },
    [3, 'the reply belongs to turn 2'],
  ],
  [
    'placeholder',
    'an unfilled placeholder',
    { spoil: inTurn(3, ({ response }) => ({ response: `${response} Dear {{customerName}}!` })) },
    [3, 'the reply contains a {{placeholder}} that was not filled in'],
  ],
  [
    'leakage',
    "another session's code",
    { spoil: inTurn(3, ({ response }) => ({ response: `${response} ${codeOf(mine, 7).toUpperCase()}` })) },
    [3, 'the reply contains the code of session 7'],
  ],
  [
    'leakage',
    "another session's message next to the reply",
    { spoil: inTurn(3, ({ response }) => ({ response: `${response} "Hi Repeat this tag: ${otherTag}"` })) },
    [3, 'the reply contains turn 2 of session 7'],
  ],
  [
    'leakage',
    "another session's turn in the list of turns",
    { spoil: inTurn(3, ({ conversation }) => ({ conversation: [{ message: otherTag }, ...conversation] })) },
    [3, 'the reply contains turn 2 of session 7'],
  ],
  ['turns', 'a lost first turn', { spoil: without(0) }, [2, "turn 1 is missing from the agent's list of turns"]],
  ['turns', 'a lost turn in between', { spoil: without(1) }, [3, "turn 2 is missing from the agent's list of turns"]],
  [
    'turns',
    'a turn twice',
    {
      spoil: inTurn(4, ({ conversation: [first, ...rest] }) => ({
        conversation: first ? [first, first, ...rest] : [],
      })),
    },
    [4, "turn 1 is more than once in the agent's list of turns"],
  ],
  [
    'turns',
    'turns in another order',
    { spoil: inTurn(3, ({ conversation }) => ({ conversation: conversation.toReversed() })) },
    [3, "turns 2, 1 are out of order in the agent's list of turns"],
  ],
  [
    'continuity',
    'a forgotten code',
    { forgets: ({ nth }) => nth >= 3 },
    [4, 'the code given in turn 1 and repeated in turn 2 is missing (2 turns later)'],
  ],
];

describe('a value of another session', () => {
  /** Returns the finding on a reply to turn 2 of session 2, after three sessions have begun. */
  function findingOf(reply: string, variableValues: Record<string, string>) {
    const integrity = { active: false, variables: Object.keys(variableValues) };
    const scenario = { name: 'x', sessions: 3, turns: 2, messages: ['Is it N-3?', 'And?'], variableValues, integrity };
    const { plan, script } = resolveScenario(scenario, { flags: {}, environment: {} });
    const guard = openGuard(plan, '');
    if (guard === undefined) throw new Error('nothing is guarded');
    const guards = [1, 2, 3].map((number) => new SessionGuard(guard, planSession(script, number)));
    for (const each of guards) each.begins(1);
    const { failed, detail } = guards[1]?.examine(2, { text: reply, id: 'chat-2', data: {} }) ?? {};
    return failed === undefined ? '' : `${failed}: ${String(detail)}`;
  }

  const name = 'N-{{session.number}}';
  const foreign = (session: number): string => `variables: the reply contains name of session ${String(session)}`;
  test.each<[string, string, Record<string, string>, string]>([
    ['is found next to its own', 'N-2 N-1', { name }, foreign(1)],
    ['is not found in a word', 'N-2 N-33', { name }, ''],
    ['is not searched if its own is missing', 'N-3', { name }, 'variables: the reply lacks the value of name'],
    ['is not reported if all sessions have it', 'pro N-2', { plan: 'pro', name }, ''],
    ['is not reported if the session itself has sent it', 'N-2: no, N-3 is not yours. N-1?', { name }, foreign(1)],
  ])('%s', (_, reply, values, detail) => {
    expect(findingOf(reply, values)).toBe(detail);
  });
});

describe('the active guard', () => {
  test.each(faults)('names %s for %s', async (check, _, broken, [turn, detail]) => {
    const lab = await play(active, broken);
    expect(failuresOf(lab)).toEqual([[turn, check, detail]]);
    expect(lab.attempts.at(-1)).toMatchObject({
      outcome: 'check_failed',
      detail: `integrity check '${check}' failed: ${detail}`,
    });
    expect(lab.integrityRecords.at(-1)?.checked.at(-1)).toBe(check);
    expect([lab.sessions[0]?.end, lab.sent.length]).toEqual(['failed', turn + 1]);
  });

  test('names variables for a reply without the value of one', async () => {
    const scenario = {
      ...active,
      variableValues: { customerName: 'Ada' },
      integrity: { variables: ['customerName'] },
    };
    const spoil = inTurn(2, ({ response }) => ({ response: response.replace('Ada', 'Bob') }));
    expect(failuresOf(await play(scenario, { spoil }))).toEqual([
      [2, 'variables', 'the reply lacks the value of customerName'],
    ]);
  });

  test('names amnesia for a code forgotten after an idle time, and continuity for a shorter one', async () => {
    const thinkTime = '4m';
    const forgets = ({ nth }: Place): boolean => nth >= 4;
    const long = await play({ ...active, thinkTime, integrity: { idle: '3m' } }, { forgets });
    expect(failuresOf(long)).toEqual([
      [4, 'amnesia', 'the code given in turn 1 and repeated in turn 2 is missing (2 turns later, idle 240 s)'],
    ]);
    expect(long.integrityRecords.flatMap(({ checked }) => checked.filter((name) => name === 'amnesia'))).toHaveLength(
      2,
    );
    expect(long.integrityRecords.at(-1)).toMatchObject({ turnsBetween: 2, retriesBetween: 0, idleMs: 240_000 });
    const short = await play({ ...active, thinkTime, integrity: true }, { forgets });
    expect(failuresOf(short).map(([, check]) => check)).toEqual(['continuity']);
  });

  test('reports the longest idle time since the code was last repeated, not the latest', async () => {
    const thinkTime = { min: '1s', max: '100s' } as const;
    const lab = await play({ ...active, seed: 3, turns: 8, thinkTime }, { forgets: ({ nth }) => nth === 8 });
    const idle = lab.turns.slice(4).map(({ ready }, index) => ready - (lab.turns[index + 3]?.endedAt ?? 0));
    expect(idle.at(-1)).toBeLessThan(Math.max(...idle));
    expect(lab.integrityRecords.at(-1)?.idleMs).toBe(Math.max(...idle));
  });

  test('counts idle time and retries from the last repeat of the code', async () => {
    const forgets = ({ nth }: Place): boolean => nth >= 4;
    const busy = refusal(429, 'slow down', '0');
    const retry = { base: '1ms', jitter: 'none' } as const;
    const answers = [undefined, undefined, busy, undefined, busy, undefined, busy, undefined];
    const lab = await play({ ...active, retry }, { forgets }, answers);
    expect(failuresOf(lab)).toEqual([
      [
        4,
        'continuity',
        'the code given in turn 1 and repeated in turn 2 is missing (2 turns later, 2 retries in between)',
      ],
    ]);
    expect(lab.integrityRecords.at(-1)).toMatchObject({ retriesBetween: 2 });
  });

  test('accepts a list of only the latest turns, but no gap in it', async () => {
    const latest = (count: number) => (given: Given) => ({ ...given, conversation: given.conversation.slice(-count) });
    const embedded = { conversationTurns: 2 };
    expect(failuresOf(await play({ ...active, embedded }, { spoil: latest(2) }))).toEqual([]);
    const gap = (given: Given) => latest(2)({ ...given, conversation: given.conversation.toSpliced(-2, 1) });
    expect(failuresOf(await play({ ...active, embedded }, { spoil: inTurn(4, gap) }))).toEqual([
      [4, 'turns', "turn 3 is missing from the agent's list of turns"],
    ]);
  });

  test.each<[string, MarkKey]>([
    ['another seed', { seed: 2, salt: '' }],
    ['the same seed', { seed: 1, salt: 'b0b0b0b0' }],
  ])('finds codes and tags of an earlier run, of %s', async (_, other) => {
    const spoil = inTurn(2, ({ response }) => ({ response: `${response} ${codeOf(other, 7)} ${tagOf(other, 7, 1)}` }));
    expect(failuresOf(await play(active, { spoil }))).toEqual([
      [2, 'leakage', 'the reply contains the code of session 7 of an earlier run'],
    ]);
  });

  test('stops checking a session after a failed turn', async () => {
    const scenario: Partial<Scenario> = { ...active, onFailedTurn: 'continue', retry: 'none' };
    const lab = await play(scenario, {}, [undefined, undefined, refusal(400, 'no')]);
    expect(lab.turns.map(({ outcome }) => outcome)).toEqual(['ok', 'bad_request', 'ok', 'ok', 'ok']);
    expect(lab.integrityRecords.map(({ turn }) => turn)).toEqual([1]);
    expect(String(lab.sent.at(-1)?.body['message'])).toContain(tagOf(mine, 1, 5));
  });

  test("runs its checks before the scenario's", async () => {
    const checks = { never: () => false };
    const spoil = inTurn(1, () => ({ response: '' }));
    const [lab, honest] = [await play({ ...active, checks }, { spoil }), await play({ ...active, checks })];
    expect(lab.attempts.at(-1)?.detail).toBe("integrity check 'answered' failed: the reply is empty");
    expect([honest.integrityRecords[0]?.failed, honest.attempts.at(-1)?.outcome]).toEqual([undefined, 'check_failed']);
  });
});

describe('a retried turn', () => {
  const retry = { base: '1ms', jitter: 'none' } as const;
  /** From then on, the agent lists turn 2 twice. */
  const twice = (given: Given): Given => ({
    ...given,
    conversation: given.conversation.flatMap((entry, index) => (index === 1 ? [entry, entry] : [entry])),
  });
  const playAfter = (failed: Answer): Promise<SessionLab> =>
    play({ ...active, retry }, { spoil: twice }, [undefined, undefined, failed]);
  const faultsOf = (lab: SessionLab): TurnFaults[] =>
    lab.integrityRecords.flatMap(({ turnFaults }) => turnFaults ?? []);

  test.each([
    ['was lost on the way', { failure: 'connection_lost' }],
    ['met an internal error', refusal(500, 'Internal server error')],
  ] as const)('that %s may be listed twice, and this is reported once', async (_, failed) => {
    const lab = await playAfter(failed);
    expect(failuresOf(lab)).toEqual([]);
    expect(faultsOf(lab)).toEqual([{ lost: 0, duplicated: 0, reordered: 0, repeated: 1 }]);
    expect(lab.integrityRecords.map(({ afterAmbiguousRetry }) => afterAmbiguousRetry)).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
  });

  test('of an idempotent service must not be listed twice', async () => {
    const given = { ...active, retry: { ...retry, idempotent: true } };
    const lab = await play(given, { spoil: twice }, [undefined, undefined, { failure: 'connection_lost' }]);
    expect(faultsOf(lab)).toEqual([{ lost: 0, duplicated: 1, reordered: 0, repeated: 0 }]);
    expect(lab.integrityRecords.at(-1)?.afterAmbiguousRetry).toBe(false);
  });

  test('that was rejected must not be listed twice', async () => {
    const lab = await playAfter(refusal(429, 'slow down'));
    expect(failuresOf(lab)).toEqual([[2, 'turns', "turn 2 is more than once in the agent's list of turns"]]);
    expect(faultsOf(lab)).toEqual([{ lost: 0, duplicated: 1, reordered: 0, repeated: 0 }]);
    expect(lab.integrityRecords.at(-1)?.afterAmbiguousRetry).toBe(false);
  });
});

describe('the passive guard', () => {
  const passive = { messages: ['Hello.', 'And?'], turns: 3 };

  test('sends only the messages of the scenario', async () => {
    const lab = await play(passive);
    expect(lab.sent.flatMap(({ operation, body }) => (operation === 'message' ? [body['message']] : []))).toEqual([
      'Hello.',
      'And?',
      'Hello.',
    ]);
  });

  test('makes the checks that need no tags', async () => {
    const lab = await play(passive);
    const shown = lab.integrityRecords.map(({ checked, failed }: IntegrityRecord) => [checked, failed]);
    expect(shown).toEqual([
      [['answered', 'restarted', 'placeholder'], undefined],
      [['answered', 'restarted', 'stale', 'placeholder'], undefined],
      [['answered', 'restarted', 'stale', 'placeholder'], undefined],
    ]);
  });

  test('finds a conversation that was begun anew, by its session id', async () => {
    const lab = await play(passive, {
      spoil: inTurn(2, () => ({ sessionId: 'another' }) as Partial<Given>),
    });
    expect(failuresOf(lab)).toEqual([[2, 'restarted', expect.stringContaining('began another conversation')]]);
    expect(lab.attempts.map(({ outcome }) => outcome).filter((outcome) => outcome !== 'ok')).toEqual(['check_failed']);
  });

  test.each([
    ['answered', { response: '' }],
    ['placeholder', { response: 'Dear {{ name }}' }],
  ])('names %s for %j', async (check, change) => {
    expect(
      failuresOf(await play(passive, { spoil: inTurn(2, () => change) })).map(([turn, name]) => [turn, name]),
    ).toEqual([[2, check]]);
  });

  describe('names stale', () => {
    const scenario = { name: 'x', sessions: 3, turns: 2, messages: ['Hi'], integrity: 'passive' };
    const { plan, script } = resolveScenario(scenario, { flags: {}, environment: {} });
    /** Examines replies of sessions one after another. */
    const failedOf = (...replies: readonly [session: number, id: string, text: string][]): (string | undefined)[] => {
      const guard = openGuard(plan, '');
      if (guard === undefined) throw new Error('nothing is guarded');
      const guards = [1, 2, 3].map((number) => new SessionGuard(guard, planSession(script, number)));
      return replies.map(
        ([session, id, text]) => guards[session - 1]?.examine(1, { text, id, data: {} }, `s-${String(session)}`).failed,
      );
    };
    const none = [undefined, undefined, undefined, undefined];

    test.each(['Yes.', 'One moment. '.repeat(1000)])('for the id and the text of the previous reply', (text) => {
      const [stale] = failedOf([1, 'x', text], [2, 'y', text], [1, 'x', text]).slice(-1);
      expect(stale).toBe('stale');
      expect(failedOf([1, 'x', text], [2, 'y', text], [1, 'x', `${text} And?`], [1, 'z', `${text} And?`])).toEqual(
        none,
      );
    });

    test('not by ids that do not identify replies: of several sessions, of their session, or of the only one', () => {
      expect(failedOf([1, 'x', 'Yes.'], [2, 'x', 'Yes.'], [1, 'x', 'Yes.'], [2, 'x', 'Yes.'])).toEqual(none);
      expect(failedOf([1, 's-1', 'Yes.'], [2, 's-2', 'Yes.'], [1, 's-1', 'Yes.'], [2, 's-2', 'Yes.'])).toEqual(none);
      expect(failedOf([1, 'x', 'Yes.'], [1, 'x', 'Yes.'], [1, 'x', 'Yes.'], [1, 'x', 'Yes.'])).toEqual(none);
    });
  });

  const values = { customerName: 'Ada', order: { number: 7 } };
  test.each<[string, boolean]>([
    ['Dear {{customerName}}, hello', true],
    ['Dear {{ customerName }}, hello', true],
    ['Order {{order.number}} is late', true],
    ['Dear {{customerName | upper}}', true],
    ['You wrote `{{customerName}}`', true],
    ['Dear {{first_name}}, hello', true],
    ['Begin with {{#if user}} and end with {{/if}}', false],
    ['Filters: {{ user.name | upper }}, loops: {{#each items}} {{this}} {{else}} {{/each}}', false],
    ['Comments are {{! like this }}, partials {{> header}}, raw {{{html}}}', false],
    ['Write `Hello {{firstName}}` in the file', false],
    ['For instance:\n```hbs\nHello {{firstName}}\n```\n', false],
  ])('treats %j as an unfilled variable: %s', async (response, isFound) => {
    const spoil = inTurn(2, () => ({ response }));
    const found = failuresOf(await play({ ...passive, variableValues: values }, { spoil }));
    expect(found.map(([turn, name]) => [turn, name])).toEqual(isFound ? [[2, 'placeholder']] : []);
  });

  test('reports nothing that only an active guard can know', async () => {
    const spoil = inTurn(2, () => ({ response: `${otherTag} ${codeOf(mine, 7)} ${tagOf(mine, 1, 1)}` }));
    expect(failuresOf(await play(passive, { spoil }))).toEqual([]);
  });

  test('compares a list of turns by their texts if its path is set', async () => {
    const scenario = { ...passive, turns: 4, integrity: { active: false, transcript: 'conversation' } };
    expect(failuresOf(await play(scenario))).toEqual([]);
    const lost = await play(scenario, {
      spoil: inTurn(3, ({ conversation: [first, , third] }) => ({
        conversation: [first, third].filter((each) => each !== undefined),
      })),
    });
    expect(failuresOf(lost)).toEqual([[3, 'turns', "turn 2 is missing from the agent's list of turns"]]);
  });
});

describe('the guard that is off', () => {
  test('checks nothing', async () => {
    const spoil = (): Given => ({ response: '{{x}}', chatId: 'same', conversation: [] });
    const lab = await play({ ...active, integrity: false }, { spoil });
    expect([lab.integrityRecords, lab.sessions[0]?.end]).toEqual([[], 'completed']);
    expect(lab.sent[1]?.body['message']).toBe('Hello.');
  });
});

test('a reply that breaks the contract is not checked', async () => {
  const lab = await play(active, {}, [undefined, okReply('s1', { response: 7 })]);
  expect([lab.integrityRecords, lab.attempts.at(-1)?.outcome]).toEqual([[], 'contract_broken']);
});

test('the code is sent in turn 1, requested and repeated', async () => {
  const lab = await play(active);
  const messages = lab.sent.slice(1).map(({ body }) => String(body['message']));
  expect(messages.map((text) => text.includes(code))).toEqual([true, false, false, false, false]);
  expect(messages.map((text) => text.includes('Which code'))).toEqual([false, true, false, true, true]);
});

test('a missing code is reported with the turns, retries and idle time (from 0.1 s) in between', () => {
  const said = (idleMs: number): string => describeRecall({ ...newRecall(), retries: 2, idleMs: ms(idleMs) }, 3);
  expect(said(99)).toBe('the code given in turn 1 is missing (2 turns later, 2 retries in between)');
  expect(said(100)).toBe('the code given in turn 1 is missing (2 turns later, 2 retries in between, idle 0.1 s)');
});
