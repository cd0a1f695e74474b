import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { randomOf } from '../../src/base/random.ts';
import type { Result } from '../../src/result/result.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario } from '../support/command.ts';
import { listenInTest } from '../support/listen-in-test.ts';

interface Asked {
  session: string;
  text: string;
  request: IncomingMessage;
}

interface Answered {
  answer: string;
  /** Id of the reply, and of the session. */
  id?: string;
  session?: string;
  headers?: Record<string, string>;
}

async function serve(answer: (asked: Asked) => Answered): Promise<string> {
  const server = createServer((request, response: ServerResponse) => {
    void text(request).then((body) => {
      const { session, message } = JSON.parse(body) as { session: string; message: string };
      const { headers = {}, ...reply } = answer({ session, text: message, request });
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(reply));
    });
  });
  return listenInTest(server);
}

interface Options {
  /** Fields of `reply` besides the text. */
  reply?: string;
  scenario?: string;
  body?: string;
  messages?: string;
  integrity?: string;
}

/** Runs a scenario of 60 sessions a few times against a service that is not restarted in between. */
async function runs(
  baseUrl: string,
  count: number,
  {
    reply = '',
    scenario = 'sessions: 60, turns: 4',
    body = 'variables.id',
    messages = 'Hello.',
    integrity = 'true',
  }: Options = {},
): Promise<Result[]> {
  const folder = await makeFolder();
  await writeScenario(
    folder,
    `{ name: 'guarded', ${scenario}, messages: ['${messages}'], integrity: ${integrity}, load: { concurrency: 8 },
    stopWhen: { unusable: false }, retry: 'none', variableValues: { id: '{{uuid}}' },
    target: { auth: 'none', baseUrl: '${baseUrl}', protocol: { name: 'guarded',
      message: { path: '/chat', body: ({ message, sessionId, variables }) => ({ message, session: ${body} }) },
      reply: { text: 'answer', ${reply} } } } }`,
  );
  const results: Result[] = [];
  for (let run = 0; run < count; run++) {
    await performCommand(['run', 'scenario.mjs', '--quiet', '--out', `out${String(run)}`], {}, folder);
    results.push(await readResult(join(folder, `out${String(run)}`)));
  }
  return results;
}

const failedOf = ({ integrity }: Result): number => integrity.failed;
const firstOf = ({ integrity }: Result): string => integrity.examples[0]?.detail ?? '';
const codeIn = (said: string): string | undefined => /code: (\S+)/.exec(said)?.[1];
const tagIn = (said: string): string => /tag: (\S+)/.exec(said)?.[1] ?? '';

/** An agent that remembers codes by session. */
function remember(memory: Map<string, string>, { session, text: said }: Asked): string {
  const code = codeIn(said);
  if (code !== undefined) memory.set(session, code);
  return `The code is ${memory.get(session) ?? 'unknown'}. ${tagIn(said)}`;
}

describe('a service that is not restarted cannot be taught', () => {
  test('by two replicas without affinity: eight runs find as much each time', async () => {
    const replicas = [new Map<string, string>(), new Map<string, string>()];
    const random = randomOf(48);
    const url = await serve((each) => ({
      answer: remember(replicas[Math.floor(random() * 2)] ?? new Map<string, string>(), each),
    }));
    const found = (await runs(url, 8)).map(failedOf);
    // About half of the sessions meet the other replica in turn 2, and half of the others in turn 4.
    for (const each of found) expect(each).toBeGreaterThan(25);
  });

  test('by a service that keeps the codes of the first run: every further run fails', async () => {
    const memory = new Map<string, string>();
    let nth = 0;
    const url = await serve((each) => {
      const number = /t(\d+)-/.exec(each.text)?.[1] ?? '';
      const code = codeIn(each.text);
      if (code !== undefined) nth++;
      if (code !== undefined && !memory.has(number)) memory.set(number, code);
      return { answer: `The code is ${memory.get(number) ?? ''}. ${tagIn(each.text)}` };
    });
    const [first, ...others] = await runs(url, 4);
    expect(nth).toBeGreaterThanOrEqual(240);
    expect(first?.integrity.verdict).toBe('pass');
    for (const each of others) {
      expect(each.integrity.verdict).toBe('fail');
      expect(firstOf(each)).toMatch(/of session \d+ of an earlier run$/);
    }
  });

  test('by ids that clients choose: they are other ones in every run, unless the scenario wants the same', async () => {
    const seen: string[] = [];
    const url = await serve((each) => {
      seen.push(each.session);
      return { answer: remember(new Map(), each) };
    });
    await runs(url, 2, { scenario: 'sessions: 5, turns: 1' });
    expect(new Set(seen).size).toBe(10);
    seen.length = 0;
    await runs(url, 2, { scenario: 'sessions: 5, turns: 1, reproducibleIds: true' });
    expect(new Set(seen).size).toBe(5);
  });
});

describe('ids of replies', () => {
  test.each<[string, number]>([
    ['one constant id', 1],
    ['ids of 999 values', 999],
  ])('that do not identify them are no failure: %s', async (_, values) => {
    const memory = new Map<string, string>();
    let nth = 0;
    const url = await serve((each) => ({ answer: remember(memory, each), id: `i${String((nth++ * 7919) % values)}` }));
    const [result] = await runs(url, 1, { reply: "id: 'id'", scenario: 'sessions: 750, turns: 4' });
    expect(result?.integrity).toMatchObject({ verdict: 'pass', failed: 0 });
    expect(result?.books.turns.ok).toBe(3000);
  });
});

describe('session ids that a service returns', () => {
  const chooses = { reply: "sessionId: 'session'", body: "sessionId || ''" };

  test('begin another conversation if they differ from the id of the request: each time', async () => {
    const memory = new Map<string, string>();
    let nth = 0;
    const url = await serve((each) => {
      const isLost = each.session !== '' && nth % 7 === 0;
      const session = each.session === '' || isLost ? `s${String(++nth)}` : each.session;
      nth++;
      return { answer: remember(memory, { ...each, session }), session };
    });
    for (const result of await runs(url, 3, chooses)) {
      expect(result.integrity.verdict).toBe('fail');
      const { failed = 0 } = result.integrity.checks.find(({ name }) => name === 'restarted') ?? {};
      expect(failed).toBeGreaterThan(3);
      expect(firstOf(result)).toBe(
        'the service returned another session id than it was sent: it began another conversation',
      );
    }
  });

  test('form a chain if the definition describes one', async () => {
    const memory = new Map<string, string>();
    let nth = 0;
    const url = await serve((each) => {
      const session = `r${String(++nth)}`;
      const code = codeIn(each.text) ?? memory.get(each.session) ?? '';
      memory.set(session, code);
      return { answer: `The code is ${code}. ${tagIn(each.text)}`, session };
    });
    const [chained] = await runs(url, 1, { ...chooses, reply: "sessionId: 'session', chainsIds: true" });
    expect(chained?.integrity.verdict).toBe('pass');
    const [plain] = await runs(url, 1, chooses);
    expect(plain?.integrity.verdict).toBe('fail');
  });
});

describe('a reply that breaks the integrity of conversations before it is read whole', () => {
  /** Runs a scenario against a server; the counts of its result must be consistent. */
  async function resultOf(server: Server, scenario: object, api: object = {}): Promise<Result> {
    const target = { baseUrl: await listenInTest(server), agentId: 'm', apiKey: 'a-key-of-the-guard', ...api };
    const folder = await makeFolder();
    await writeScenario(folder, JSON.stringify({ name: 'broken', retry: 'none', ...scenario, target }));
    const { code, stderr } = await performCommand(['run', 'scenario.mjs', '--quiet', '--out', 'out'], {}, folder);
    expect(code, stderr).toBe(1);
    const result = await readResult(join(folder, 'out'));
    expect([result.books.balanced, result.books.broken, result.integrity.verdict]).toEqual([true, [], 'fail']);
    return result;
  }

  test('names another session, over chat-messaging', async () => {
    let sessions = 0;
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const { sessionId = '', message } = JSON.parse(body) as { sessionId?: string; message?: string };
        const at = '2026-01-01T00:00:00.000Z';
        const reply = {
          response: 'Hi.',
          chatId: `c${String(++sessions)}`,
          isSession: true,
          createdAt: at,
          updatedAt: at,
        };
        const isAnother = message === 'Third';
        const data =
          message === undefined
            ? { sessionId: `s${String(++sessions)}` }
            : { ...reply, sessionId: isAnother ? 'another' : sessionId };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ success: true, data }));
      });
    });
    const messages = ['First', 'Second', 'Third', 'Fourth'];
    const { integrity, outcomes } = await resultOf(server, { sessions: 5, turns: 4, messages, integrity: 'passive' });
    expect(integrity.checks.find(({ name }) => name === 'restarted')).toMatchObject({ checked: 15, failed: 5 });
    expect(outcomes.attempts).toMatchObject({ ok: 10, check_failed: 5, contract_broken: 0 });
  });

  test('is a stream that ends within text of another session', async () => {
    let foreign = '';
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        foreign ||= codeIn(body) ?? '';
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const delta = { content: foreign === codeIn(body) ? `Noted. ${tagIn(body)}` : `The code is ${foreign} ` };
        const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
        response.write(`data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`);
        setTimeout(() => response.destroy(), 20);
      });
    });
    const scenario = { sessions: 4, turns: 1, messages: ['Hi'], integrity: true };
    const { integrity } = await resultOf(server, scenario, { protocol: 'openai-chat', stream: true });
    expect(integrity.checks.find(({ name }) => name === 'leakage')).toMatchObject({ failed: 3 });
  });
});

test('a lost conversation next to a cookie that is not sent back names the option', async () => {
  const replicas = [new Map<string, string>(), new Map<string, string>()];
  const random = randomOf(48);
  const url = await serve((each) => {
    const at = Math.floor(random() * 2);
    return {
      answer: remember(replicas[at] ?? new Map<string, string>(), each),
      headers: { 'Set-Cookie': `replica=${String(at)}; Path=/` },
    };
  });
  const [result] = await runs(url, 1);
  expect(result && firstOf(result)).toMatch(
    /is missing \(.*; the service sets a cookie that is not sent back: set cookies: true$/,
  );
});

test('a replica that does not know the session is explained by the cookie that names it, without any guard', async () => {
  const random = randomOf(49);
  const owners = new Map<string, number>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { session } = JSON.parse(body) as { session: string };
      const at = Math.floor(random() * 2);
      const owner = owners.get(session) ?? at;
      owners.set(session, owner);
      const head = { 'content-type': 'application/json', 'Set-Cookie': `replica=${String(at)}` };
      if (owner === at) response.writeHead(200, head).end(JSON.stringify({ answer: 'Hi.' }));
      else response.writeHead(404, head).end(JSON.stringify({ error: 'conversation not found' }));
    });
  });
  const url = await listenInTest(server);
  const [result] = await runs(url, 1, { integrity: 'false' });
  const warning = result?.warnings.find(({ code }) => code === 'cookies_ignored');
  expect(warning?.message).toContain(`${String(result?.outcomes.attempts.not_found)} attempts met a conversation`);
  expect(warning?.remedy).toContain('cookies: true');
});

describe('a reply without text that is none of the guard', () => {
  test.each<[string, object]>([
    [
      'a call of tools',
      { message: { role: 'assistant', content: null, tool_calls: [call()] }, finish_reason: 'tool_calls' },
    ],
    [
      'reasoning that a limit of tokens cut off',
      { message: { role: 'assistant', content: '' }, finish_reason: 'length' },
    ],
  ])('is ok, and its check is counted: %s', async (_, choice) => {
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const choices = [{ index: 0, ...choice }];
        const reply = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply));
      });
    });
    const folder = await makeFolder();
    const url = `${await listenInTest(server)}/v1`;
    for (const integrity of ['passive', true]) {
      const target = { protocol: 'openai-chat', baseUrl: url, agentId: 'm', auth: 'none' };
      const scenario = { name: 'silent', sessions: 3, turns: 2, messages: ['Hi'], integrity, target };
      await writeScenario(folder, JSON.stringify(scenario));
      await performCommand(['run', 'scenario.mjs', '--quiet', '--out', `out-${String(integrity)}`], {}, folder);
      const { books, integrity: found } = await readResult(join(folder, `out-${String(integrity)}`));
      expect([books.balanced, books.broken, books.turns.ok, found.failed]).toEqual([true, [], 6, 0]);
      expect(found.checks.find(({ name }) => name === 'answered')).toMatchObject({ checked: 6, failed: 0 });
    }
  });
});

function call(): object {
  return { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{}' } };
}

describe('a cache of replies', () => {
  test('is found by its marks', async () => {
    const url = await serve((each) => ({ answer: tagIn(each.text), headers: { 'X-Cache': 'HIT from edge' } }));
    const [result] = await runs(url, 1, { scenario: 'sessions: 240, turns: 1' });
    const found = result?.warnings.find(({ code }) => code === 'replies_cached');
    expect(found?.message).toContain('240 of 240 ok replies are marked as taken from a cache (x-cache: HIT from edge)');
  });

  test.each<[string, number, boolean]>([
    ['is found by faster replies to repeated texts', 0, true],
    ['is not found if repeated texts take as long', 250, false],
  ])('%s', async (_, repeatedMs, isFound) => {
    const known = new Set<string>();
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        const { message } = JSON.parse(body) as { message: string };
        const answer = () =>
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ answer: 'Hi.' }));
        setTimeout(answer, known.has(message) ? repeatedMs : 250);
        known.add(message);
      });
    });
    const url = await listenInTest(server);
    const messages = 'Where is order {{int 1 150}}?';
    const [result] = await runs(url, 1, { scenario: 'sessions: 400, turns: 1', messages, integrity: "'passive'" });
    const codes = result?.warnings.map(({ code }) => code) ?? [];
    expect(codes.includes('replies_cached')).toBe(isFound);
  });
});
