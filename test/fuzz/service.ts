import fc from 'fast-check';
import { Agent, request } from 'node:http';
import { startService } from '../../src/reference-service/start.ts';
import { embeddedDefaults, embeddedOptions } from '../../src/scenario/embedded.ts';
import { messagesPath, sessionsPath } from '../../src/protocol/chat-messaging/api.ts';
import { fuzz, pollution, type Fuzz } from './fuzz.ts';
import { weirdText } from './weird.ts';

const good = {
  agentId: embeddedDefaults.agentId,
  sessionId: 'unknown',
  message: 'What did I tell you first? Remember this code: QX1',
  variableValues: { customerName: 'Ada', orderNumber: '1' } as unknown,
};

const fields = fc.constantFrom('agentId', 'sessionId', 'message', 'variableValues', '__proto__', 'constructor');
const value = fc.oneof(
  fc.json({ stringUnit: 'binary' }),
  weirdText.map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '1e999',
    `${'['.repeat(9000)}${']'.repeat(9000)}`,
    JSON.stringify(pollution),
    '{"__proto__":{"polluted":1}}',
    '{"customerName":{"toString":1},"orderNumber":[[]]}',
  ),
);
const questions = fc
  .constantFrom(
    'What did I say in turn 99999999999999999999?',
    'What did I say in turn -1?',
    'List what I said.',
    'Remember this code: ',
    'Repeat this tag: __proto__',
    'Which code did I tell you?',
    'How many turns have we had?',
  )
  .map((text) => JSON.stringify(text));

const bodies = fc.oneof(
  { arbitrary: fc.array(fc.tuple(fields, fc.oneof(value, questions)), { maxLength: 3 }), weight: 5 },
  { arbitrary: fc.oneof(fc.json(), weirdText), weight: 2 },
);
const sendings = fc.record({
  body: bodies,
  path: fc.constantFrom(messagesPath, messagesPath, sessionsPath, '/nowhere', '/stats', '/ledger'),
  authorization: fc.oneof(
    { arbitrary: fc.constant(`Bearer ${embeddedDefaults.apiKey}`), weight: 8 },
    {
      arbitrary: fc.constantFrom('', 'Bearer', 'Bearer  ', 'Basic eA==', 'Bearer __proto__', 'x'.repeat(4000)),
      weight: 1,
    },
  ),
  contentType: fc.oneof(
    { arbitrary: fc.constant('application/json'), weight: 8 },
    { arbitrary: fc.constantFrom('text/plain', '', 'application/json; charset=utf-16'), weight: 1 },
  ),
  query: fc.constantFrom('', '?x=1', '?__proto__[polluted]=1', '?%'),
});
type Sending = typeof sendings extends fc.Arbitrary<infer Item> ? Item : never;

const textOf = (body: Sending['body'], sessionId: string): string => {
  if (typeof body === 'string') return body;
  const base = Object.entries({ ...good, sessionId }).map(
    ([name, field]) => `${JSON.stringify(name)}:${JSON.stringify(field)}`,
  );
  return `{${[...base, ...body.map(([name, json]) => `${JSON.stringify(name)}:${json}`)].join(',')}}`;
};

interface Answer {
  status: number;
  text: string;
}

function post(url: URL, sending: Sending, { agent, sessionId }: { agent: Agent; sessionId: string }): Promise<Answer> {
  const { authorization, contentType: type } = sending;
  const headers = { authorization, 'content-type': type };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(textOf(sending.body, sessionId));
  });
}

/** Starts the reference service for the property, and closes it afterwards. */
export const serviceFuzz: Fuzz = {
  name: 'the reference service answers anything, and lives on',
  runs: 600,
  attempt: async (effort) => {
    const service = await startService(embeddedOptions.parse({}), { host: '127.0.0.1', port: 0 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warn);
    const ask = (sending: Sending, sessionId: string): Promise<Answer> =>
      post(new URL(sending.path + sending.query, service.baseUrl), sending, { agent, sessionId });
    const plain: Sending = {
      body: [],
      path: sessionsPath,
      authorization: `Bearer ${embeddedDefaults.apiKey}`,
      contentType: 'application/json',
      query: '',
    };
    try {
      const created = JSON.parse((await ask(plain, '')).text) as { data: { sessionId: string } };
      const { sessionId } = created.data;
      await fuzz({ name: '', runs: 0 }, sendings, async (sending) => {
        const { status, text } = await ask(sending, sessionId);
        // Nothing was configured to fail: an internal error, or a warning of the process, is a bug.
        if (status >= 500 || status < 200 || warnings.length > 0)
          throw new Error(`${String(status)} ${text}`, { cause: warnings[0] });
        if (text.includes('"polluted"') && !text.includes('conversation')) throw new Error(text);
      }).attempt(effort);
    } finally {
      process.off('warning', warn);
      agent.destroy();
      await service.close();
    }
  },
};
