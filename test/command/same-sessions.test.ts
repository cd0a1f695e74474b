import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { messagesPath, type MessageRequest } from '../../src/protocol/chat-messaging/api.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, runCommand, writeScenario } from '../support/command.ts';

type Turn = readonly [message: string, variableValues: Readonly<Record<string, unknown>> | undefined];
/** Messages of every session, keyed by the number in its variable. */
type Sessions = ReadonlyMap<number, readonly Turn[]>;

const sessionCount = 40;
const scenario = (load: string): string => `{
  name: 'same', reproducibleIds: true, sessions: ${String(sessionCount)}, turns: { min: 1, max: 5 }, thinkTime: { min: '0ms', max: '8ms' },
  ${load},
  data: { customers: [{ name: 'Ada' }, { name: 'Grace' }, { name: 'Linus' }] },
  variableValues: {
    number: '{{session.number}}', customer: '{{pick customers.name}}', order: '{{digits 6}}', id: '{{uuid}}',
    nested: [{ age: '{{int 1 99}}' }], asked: 'at turn {{turn.number}}', drawn: ({ random }) => random(),
  },
  messages: ['I am {{customer}}', 'It is {{int 1 1000000}}', ({ random, turn }) => turn.number + ': ' + random()],
}`;

test('the same seed creates the same sessions at any concurrency and at open load; another seed creates others', async () => {
  const one = await sessionsSent('load: { concurrency: 1 }', 5, runCommand);
  expect([...one.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: sessionCount }, (_, index) => index + 1));
  expect(new Set([...one.values()].map((turns) => turns.length))).toEqual(new Set([1, 2, 3, 4, 5]));

  expect(await sessionsSent('load: { concurrency: 25 }', 5)).toEqual(one);
  expect(await sessionsSent("load: { sessionsPerSecond: 150, arrivals: 'poisson' }", 5)).toEqual(one);

  const other = await sessionsSent('load: { concurrency: 25 }', 6);
  expect([...other.keys()].sort((a, b) => a - b)).toEqual([...one.keys()].sort((a, b) => a - b));
  for (const [number, turns] of other) expect(turns).not.toEqual(one.get(number));
});

const here: typeof runCommand = (words, around) => performCommand(words, around?.env);

/** Runs the scenario, in this process or in another, against a target that issues session ids; returns the requests received. */
async function sessionsSent(load: string, seed: number, perform = here): Promise<Sessions> {
  const target = await startTarget();
  try {
    const folder = await makeFolder();
    const words = ['--base-url', target.baseUrl, '--agent-id', 'a', '--seed', String(seed), '--out', folder, '--quiet'];
    const { code, stderr } = await perform(['run', await writeScenario(folder, scenario(load)), ...words], {
      env: { CHAT_LOAD_API_KEY: 'key' },
    });
    expect([code, stderr]).toEqual([0, '']);
    return byNumber(target.turns);
  } finally {
    target.close();
  }
}

interface Target {
  baseUrl: string;
  /** Turns by session id, in order of arrival. */
  turns: Map<string, Turn[]>;
  close(): void;
}

async function startTarget(): Promise<Target> {
  const turns: Target['turns'] = new Map();
  const answer = async (request: IncomingMessage): Promise<object> => {
    const body = JSON.parse(await textOf(request)) as MessageRequest;
    if (request.url !== messagesPath) {
      const sessionId = `session-${String(turns.size + 1)}`;
      turns.set(sessionId, []);
      return { sessionId };
    }
    turns.get(body.sessionId)?.push([body.message, body.variableValues]);
    const at = new Date(0).toISOString();
    const { sessionId } = body;
    return { response: 'Yes.', chatId: randomUUID(), sessionId, isSession: true, createdAt: at, updatedAt: at };
  };
  const server = createServer((request, reply) => {
    void answer(request).then((data) => {
      reply.setHeader('content-type', 'application/json');
      reply.end(JSON.stringify({ success: true, data }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    turns,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return text;
}

const byNumber = (turns: Target['turns']): Sessions =>
  new Map([...turns.values()].map((sent) => [Number(sent[0]?.[1]?.['number']), sent]));
