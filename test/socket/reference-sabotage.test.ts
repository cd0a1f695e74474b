import { describe, expect, test } from 'vitest';
import type { ServiceStats } from '../../src/reference-service/exchange/stats.ts';
import { embeddedDefaults, type EmbeddedOptions } from '../../src/scenario/embedded.ts';
import type { SabotageOptions } from '../../src/scenario/embedded-sabotage.ts';
import { questions } from '../../src/protocol/chat-messaging/questions.ts';
import { createSession, getJson, messageOf, openService, post } from '../support/reference-client.ts';

const tell = `Hello. ${questions.remember('c7')} ${questions.echo('t1')}`;
const ask = `And now? ${questions.recall} ${questions.echo('t2')}`;
const again = `Still? ${questions.recall} ${questions.echo('t3')}`;
const knows = 'The code you told me is c7';

interface Turn {
  status: number;
  response: string;
  chatId: string;
  sessionId: string;
  /** The messages in the reply's own conversation. */
  messages: string[];
}

interface Session {
  id: string;
  /** Sends a message and returns the reply. */
  say(message: string): Promise<Turn>;
  /** The messages that the service has stored. */
  ledger(): Promise<string[]>;
}

async function open(options: EmbeddedOptions): Promise<{ begin: () => Promise<Session>; stats: () => ServiceStats }> {
  // Instructions without variables: replies contain only the answers.
  const agents = [{ id: embeddedDefaults.agentId, instructions: 'Be brief.' }];
  const { baseUrl, stats } = await openService({ agents, ...options });
  return { stats, begin: async () => sessionAt(baseUrl, await createSession(baseUrl)) };
}

const sessionAt = (baseUrl: string, id: string): Session => ({
  id,
  say: async (message) => {
    const { status, body } = await post(baseUrl, { body: messageOf(id, message) });
    const { response = '', chatId, sessionId = '', conversation = [] } = body.data ?? {};
    const messages = (conversation as { message: string }[]).map((turn) => turn.message);
    return { status, response, chatId: String(chatId), sessionId, messages };
  },
  ledger: async () =>
    ((await getJson(`${baseUrl}/ledger/${id}`)) as { turns: { message: string }[] }).turns.map(
      ({ message }) => message,
    ),
});

/** A service with only this sabotage, and one session. */
async function openOne(sabotage: SabotageOptions, options: EmbeddedOptions = {}) {
  const { begin, stats } = await open({ ...options, sabotage: [sabotage] });
  return { session: await begin(), begin, stats };
}

const done = (stats: ServiceStats): [string, number][] =>
  Object.entries(stats.sabotaged).filter(([, count]) => count > 0);

test('without sabotage nothing is spoiled, and nothing is counted', async () => {
  const { begin, stats } = await open({});
  const session = await begin();
  const replies = [await session.say(tell), await session.say(ask)];
  expect(replies.map(({ response }) => response)).toEqual(['I will remember the code c7 Tag: t1', `${knows} Tag: t2`]);
  expect([done(stats()), stats().turnsRepeated]).toEqual([[], 0]);
  expect(Object.keys(stats().sabotaged)).toHaveLength(10);
});

describe('sabotage', () => {
  test('forget: one reply ignores the earlier turns, which stay stored', async () => {
    const { session, stats } = await openOne({ kind: 'forget', first: 1 });
    await session.say(tell);
    const { response, messages } = await session.say(ask);
    expect([response, messages]).toEqual(['You have told me no code. Tag: t2', [tell, ask]]);
    expect((await session.say(again)).response).toContain(knows);
    expect(done(stats())).toEqual([['forget', 1]]);
  });

  test('forget: every way of looking back finds nothing', async () => {
    const { session } = await openOne({ kind: 'forget' });
    await session.say(tell);
    const { response } = await session.say(`${questions.first} ${questions.inTurn(1)} ${questions.count}`);
    expect(response).toBe('You have told me nothing before this. There was no turn 1 before this one. This is turn 1.');
    expect((await session.say('Hi')).response).toContain('Turn 1: you said "Hi".');
  });

  test('swap: the reply of another session is sent, in an envelope with the right id', async () => {
    const { session, begin, stats } = await openOne({ kind: 'swap' });
    const other = await begin();
    const alone = await other.say(`Mine. ${questions.echo('theirs')}`);
    expect([alone.response, done(stats())]).toEqual(['Tag: theirs', []]);
    const { response, chatId, sessionId, messages } = await session.say(tell);
    expect([response, chatId, sessionId, messages]).toEqual(['Tag: theirs', alone.chatId, session.id, [tell]]);
    expect((await other.say(ask)).response).toBe('I will remember the code c7 Tag: t1');
    expect(done(stats())).toEqual([['swap', 2]]);
  });

  test('drop: a turn is answered well and stored nowhere, but never the first', async () => {
    const { session, stats } = await openOne({ kind: 'drop', first: 1 });
    await session.say(tell);
    const { response, messages } = await session.say(ask);
    expect([response, messages]).toEqual([`${knows} Tag: t2`, [tell]]);
    expect((await session.say(again)).messages).toEqual([tell, again]);
    expect([await session.ledger(), stats().turnsStored]).toEqual([[tell, again], 2]);
    expect(done(stats())).toEqual([['drop', 1]]);
  });

  test('store_twice: a turn that was refused before is stored twice, others are not', async () => {
    const faults: EmbeddedOptions['faults'] = [{ kind: 'rate_limited', first: 1 }];
    const { session, stats } = await openOne({ kind: 'store_twice' }, { faults });
    expect((await session.say(tell)).status).toBe(429);
    expect((await session.say(tell)).messages).toEqual([tell, tell]);
    expect((await session.say(ask)).messages).toEqual([tell, tell, ask]);
    expect([await session.ledger(), stats().turnsRepeated]).toEqual([[tell, tell, ask], 1]);
    expect(done(stats())).toEqual([['store_twice', 1]]);
  });

  test('store_twice: a turn that a fault has stored already is not stored a third time', async () => {
    const faults: EmbeddedOptions['faults'] = [
      { kind: 'rate_limited', first: 1 },
      { kind: 'malformed', first: 1 },
    ];
    const { session, stats } = await openOne({ kind: 'store_twice' }, { faults });
    for (let attempt = 0; attempt < 3; attempt++) await session.say(tell);
    expect([await session.ledger(), done(stats())]).toEqual([[tell, tell], []]);
  });

  test('previous: the previous reply is sent again with its chatId, and the new turn is stored', async () => {
    const { session, stats } = await openOne({ kind: 'previous', first: 1 });
    const before = await session.say(tell);
    const { response, chatId, messages } = await session.say(ask);
    expect([response, chatId, messages]).toEqual([before.response, before.chatId, [tell, ask]]);
    expect((await session.say(again)).response).toBe(`${knows} Tag: t3`);
    expect(done(stats())).toEqual([['previous', 1]]);
  });

  test('previous: the reply to the turn before, not to another attempt of the same turn', async () => {
    // Every attempt from the second message to the fourth is spoiled: the first fault takes two, the second one.
    const faults: EmbeddedOptions['faults'] = [
      { kind: 'malformed', every: 2 },
      { kind: 'malformed', every: 2 },
    ];
    const { session, stats } = await openOne({ kind: 'previous' }, { faults });
    const before = await session.say(tell);
    for (let attempt = 1; attempt <= 3; attempt++) await session.say(ask);
    expect(await session.say(ask)).toMatchObject({ response: before.response, chatId: before.chatId });
    expect(done(stats())).toEqual([['previous', 1]]);
  });

  test('placeholder: a name in braces is left in a reply that is otherwise right', async () => {
    const { session, stats } = await openOne({ kind: 'placeholder', every: 2 });
    expect((await session.say(tell)).response).not.toContain('{{');
    expect((await session.say(ask)).response).toBe(`${knows} Tag: t2 Anything else, {{customerName}}?`);
    expect(done(stats())).toEqual([['placeholder', 1]]);
  });

  test('error_text: 200 with an error for a reply, and the turn is stored', async () => {
    const { session, stats } = await openOne({ kind: 'error_text', first: 1 });
    const { status, response, messages } = await session.say(tell);
    expect([status, messages]).toEqual([200, [tell]]);
    expect(response).toMatch(/^Sorry, something went wrong/);
    expect((await session.say(ask)).response).toContain(knows);
    expect(done(stats())).toEqual([['error_text', 1]]);
  });

  test('foreign_values: a value of another session is in a reply that is otherwise right', async () => {
    const { baseUrl, stats } = await openService({ sabotage: [{ kind: 'foreign_values' }] });
    const [ada, grace] = [await createSession(baseUrl), await createSession(baseUrl)];
    const say = async (id: string, customerName: string): Promise<string | undefined> => {
      const { body } = await post(baseUrl, { body: { ...messageOf(id, 'Hello.'), variableValues: { customerName } } });
      return body.data?.response;
    };
    expect(await say(ada, 'Ada')).not.toContain('I also know');
    expect(await say(grace, 'Grace')).toMatch(/customerName = Grace.* I also know: customerName = Ada\.$/);
    expect(await say(grace, 'Ada')).not.toContain('I also know');
    expect(done(stats())).toEqual([['foreign_values', 1]]);
  });

  test('leak: the code of another session is in a reply that is otherwise right', async () => {
    const { session, begin, stats } = await openOne({ kind: 'leak' });
    await session.say(tell);
    expect((await session.say(ask)).response).toBe(`${knows} Tag: t2`);
    const other = await begin();
    expect((await other.say(questions.remember('c8'))).response).toBe('I will remember the code c8 The code is c7');
    expect((await session.say(again)).response).toBe(`${knows} Tag: t3 The code is c8`);
    expect(done(stats())).toEqual([['leak', 2]]);
  });

  test('idle_amnesia: messages before a pause are forgotten permanently, and later ones are not', async () => {
    const { session, stats } = await openOne({ kind: 'idle_amnesia', idle: '0ms', first: 1 });
    await session.say(tell);
    const { response, messages } = await session.say(ask);
    expect([response, messages]).toEqual(['You have told me no code. Tag: t2', [tell, ask]]);
    expect((await session.say(again)).response).toBe('You have told me no code. Tag: t3');
    expect((await session.say(questions.inTurn(1))).response).toBe(`In turn 1 you said: "${ask}"`);
    await session.say(questions.remember('c9'));
    expect((await session.say(questions.recall)).response).toBe('The code you told me is c9');
    expect([(await session.ledger())[0], done(stats())]).toEqual([tell, [['idle_amnesia', 1]]]);
  });

  test('idle_amnesia: nothing is forgotten without a pause', async () => {
    const { session, stats } = await openOne({ kind: 'idle_amnesia', idle: '1h' });
    await session.say(tell);
    expect([(await session.say(ask)).response, done(stats())]).toEqual([`${knows} Tag: t2`, []]);
  });

  test('is picked by share, and skips messages that a fault strikes', async () => {
    const faults: EmbeddedOptions['faults'] = [{ kind: 'malformed', every: 2 }];
    const { begin, stats } = await open({
      faults,
      sabotage: [
        { kind: 'placeholder', share: 0.5 },
        { kind: 'error_text', share: 0.5 },
      ],
    });
    const session = await begin();
    for (let turn = 1; turn <= 60; turn++) await session.say(`Turn ${String(turn)}`);
    const { placeholder, error_text: errorText } = stats().sabotaged;
    expect(placeholder + errorText).toBe(30);
    // Five standard deviations of a binomial with n = 30 and p = 0.5 are 13.7.
    expect(Math.abs(placeholder - 15)).toBeLessThan(14);
  });
});

test('a turn stored again by another attempt is counted, whatever had become of the first', async () => {
  const { begin, stats } = await open({ faults: [{ kind: 'malformed', first: 2 }] });
  const session = await begin();
  for (const message of [tell, tell, tell, ask]) await session.say(message);
  expect([stats().turnsStored, stats().turnsRepeated]).toEqual([4, 2]);
});
