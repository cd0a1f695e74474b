import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, root } from '../support/command.ts';
import { givenCases, hello, inJson, openBot } from '../support/given-cases.ts';

const { apiKey } = embeddedDefaults;

/** Writes and tries a scenario in a folder of its own. */
async function init(words: readonly string[], env: Record<string, string> = {}) {
  const folder = await makeFolder();
  const ended = await performCommand(['init', ...words], env, folder);
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => /\.\w+$/.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const scenario = texts[files.indexOf(join('scenarios', 'agent.ts'))] ?? '';
  return { ...ended, folder, files, scenario, everything: [...texts, ended.shown].join('\n') };
}

describe('init writes a scenario that passes its first conversation, without the key, for', () => {
  test.each(givenCases)('$name', async ({ open, env, output, scenario }) => {
    const { words, seen } = await open();
    const written = await init(words, env);
    expect([written.code, written.stderr]).toEqual([0, '']);
    expect(written.stdout).toContain(output);
    expect(written.stdout).toContain('run scenarios/agent.ts --concurrency 5 --sessions 55\nPASSED\n');
    expect([written.scenario, written.everything]).toEqual([
      expect.stringContaining(scenario),
      expect.not.stringContaining(apiKey),
    ]);
    if (env !== undefined) expect(JSON.stringify(seen)).toContain(env['CHAT_LOAD_API_KEY']);
  });

  test('sessions, each with an id of its own', async () => {
    const { baseUrl, seen } = await openBot(({ body }) => ({ reply: `Yes: ${String(body['message'])}` }));
    await init(['--from-curl', `curl ${baseUrl}/chat ${inJson({ message: 'Hi', session_id: 'abc' })}`]);
    const ids = seen.map(({ body }) => body['session_id']);
    // One request in whose response the text is found, the conversation, and its first question again.
    expect([new Set(ids).size, ids.length, ids.includes('abc')]).toEqual([3, 5, false]);
  });
});

/** Pipes a text into the built command. */
async function initFromInput(input: string, cwd: string, words: readonly string[] = ['--from-curl', '-']) {
  const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), 'init', ...words], { cwd });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr };
}

/** As Chrome copies a request for bash. */
const browserCopy = (url: string): string => `curl '${url}/chat?lang=en' \\
  -H 'accept: */*' \\
  -H 'accept-language: de-DE,de;q=0.9' \\
  -H 'authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJl' \\
  -H 'content-type: application/json' \\
  -b '_ga=GA1.1; session=cookie-of-a-person' \\
  -H 'origin: https://app.example.com' \\
  -H 'sec-ch-ua: "Chromium";v="131", "Not_A Brand";v="24"' \\
  -H 'x-csrf-token: csrf-9876543210' \\
  --data-raw $'{"question":"What\\'s new\\u0021 Tell me, \\u00e9l\\u00e8ve?","session_id":null}' --compressed --insecure | jq .
`;

describe('init --from-curl keeps secrets out of files and output', () => {
  test('of a copy from a browser, read from standard input', async () => {
    const { baseUrl, seen } = await openBot(({ body }) => ({
      answer: `Yes: ${String(body['question'])}`,
      session_id: 's-1',
    }));
    const folder = await makeFolder();
    const { stdout, stderr } = await initFromInput(browserCopy(baseUrl), folder);
    const scenario = await readFile(join(folder, 'scenarios/agent.ts'), 'utf8');
    expect(stdout).toContain('\nPASSED\n');
    expect(stdout).toContain('note      certificates are verified, unlike with curl -k');
    for (const name of ['CHAT_LOAD_API_KEY', 'X_CSRF_TOKEN', 'COOKIE'])
      expect(stdout).toContain(`first     export ${name}=...\n`);
    expect(`${stdout}${stderr}${scenario}`).not.toMatch(/c2lnbmF0dXJl|cookie-of-a-person|csrf-9876543210/);
    expect(seen[0]?.headers).toMatchObject({
      authorization: expect.stringMatching(/c2lnbmF0dXJl$/) as string,
      cookie: '_ga=GA1.1; session=cookie-of-a-person',
      'x-csrf-token': 'csrf-9876543210',
      origin: 'https://app.example.com',
    });
    expect(seen[0]?.headers).not.toHaveProperty('sec-ch-ua');
    // The first request of the conversation, after the one in whose response the places were found.
    const first = seen.find(({ body }) => body['session_id'] === null);
    expect([first?.path, first?.body['question']]).toEqual(['/chat?lang=en', "What's new! Tell me, élève?"]);
  });

  test.each([
    ['a query', '?api_key=secret-of-a-query', '', { message: 'Hi there' }, 'secret-of-a-query'],
    ['a body', '', '', { message: 'Hi there', api_key: 'secret-of-a-body' }, 'secret-of-a-body'],
    [
      'a header whose value looks secret',
      '',
      '-H "X-Thing: sk-secret-of-a-header"',
      { message: 'Hi there' },
      'sk-secret-of-a-header',
    ],
    ['Basic credentials', '', '-u bob:secret-of-basic', { message: 'Hi there' }, 'secret-of-basic'],
  ])('in %s, and sends them', async (_, query, flags, body, secret) => {
    const { baseUrl, seen } = await openBot(({ path, headers, body: sent }) => ({
      reply: JSON.stringify([path, headers, sent]),
    }));
    const { code, everything } = await init(['--from-curl', `curl "${baseUrl}/chat${query}" ${flags} ${inJson(body)}`]);
    expect([code, everything]).toEqual([0, expect.not.stringContaining(secret)]);
    const basic = Buffer.from(`bob:${secret}`).toString('base64');
    expect(everything).not.toContain(basic);
    expect(JSON.stringify(seen.at(-1))).toMatch(new RegExp(`${secret}|${basic}`));
  });

  test('and keeps the variables of headers: it tries the scenario only if they are set', async () => {
    const { baseUrl, seen } = await openBot(() => ({ reply: 'Yes' }));
    const curl = `curl ${baseUrl}/chat -H "Authorization: Bearer $MY_AGENT_KEY" -H 'X-Tenant: \${MY_TENANT}' ${inJson({ message: 'Hi' })}`;
    const unset = await init(['--from-curl', curl]);
    expect([unset.code, seen]).toEqual([2, []]);
    expect(unset.stderr).toContain('MY_AGENT_KEY and MY_TENANT are not set');
    expect(unset.scenario).toContain("apiKey: process.env['MY_AGENT_KEY'] ?? ''");
    expect(unset.scenario).toContain("headers: { 'X-Tenant': process.env['MY_TENANT'] ?? '' }");
    const set = await init(['--from-curl', curl], { MY_AGENT_KEY: 'value-of-the-key', MY_TENANT: 'acme' });
    expect([set.code, set.everything]).toEqual([0, expect.not.stringContaining('value-of-the-key')]);
    expect(seen.at(-1)?.headers).toMatchObject({ authorization: 'Bearer value-of-the-key', 'x-tenant': 'acme' });
  });
});

describe('init --from-curl finds', () => {
  test('the id of a created session and the text of a reply in responses, with one message for both', async () => {
    const { baseUrl, seen } = await openBot(({ path }, response) => {
      response.statusCode = path === '/v1/talks' ? 201 : 200;
      return path === '/v1/talks'
        ? { talk: { id: 't-81', state: 'open' } }
        : { data: { messages: [{ text: 'Good day' }] } };
    });
    const curl = `curl ${baseUrl}/v1/talks ${inJson({ channel: 'web' })} && curl ${baseUrl}/v1/talks/t-1/turns ${inJson({ text: 'Hi' })}`;
    const { code, scenario } = await init(['--from-curl', curl]);
    expect([code, scenario]).toEqual([
      0,
      expect.stringContaining("createSession: { path: '/v1/talks', body: { channel: 'web' }, sessionId: 'talk.id' }"),
    ]);
    expect(scenario).toContain("path: '/v1/talks/{{sessionId}}/turns'");
    expect(scenario).toContain("reply: { text: 'data.messages.0.text' }");
    expect(seen.slice(0, 4).map(({ path }) => path)).toEqual([
      '/v1/talks',
      '/v1/talks',
      '/v1/talks/t-81/turns',
      '/v1/talks',
    ]);
  });

  test('the creation of sessions of chat messaging at another path', async () => {
    const { baseUrl } = await openBot(({ path, body }) =>
      path === '/v1/sessions'
        ? { session: { id: 's-81' } }
        : {
            success: true,
            data: {
              response: `You said ${String(body['message'])}`,
              chatId: crypto.randomUUID(),
              sessionId: 's-81',
              isSession: true,
              createdAt: '2026-01-01T00:00:00Z',
              updatedAt: '2026-01-01T00:00:00Z',
            },
          },
    );
    const curl = `curl ${baseUrl}/v1/sessions ${inJson({ agent: 'a-1' })}; curl ${baseUrl}/api/developer/chat/messages ${inJson({ agentId: 'a-1', sessionId: 's', message: 'Hi', variableValues: { plan: 'pro' } })}`;
    const { code, scenario } = await init(['--from-curl', curl]);
    expect([code, scenario]).toEqual([
      0,
      expect.stringContaining(
        "createSession: { path: '/v1/sessions', body: { agent: '{{agentId}}' }, sessionIdFrom: 'session.id' }",
      ),
    ]);
    expect(scenario).toContain("variableValues: { customerName: 'Ada', plan: 'pro' }");
  });

  test('a cookie that the service sets, which each session keeps', async () => {
    const { baseUrl, seen } = await openBot(({ headers }, response) => {
      if (headers.cookie === undefined) response.setHeader('Set-Cookie', `sid=s-${String(seen.length)}; Path=/`);
      return { reply: 'Yes' };
    });
    const { code, scenario, stdout } = await init(['--from-curl', `curl ${baseUrl}/chat ${inJson({ message: 'Hi' })}`]);
    expect([code, scenario]).toEqual([0, expect.stringContaining('cookies: true')]);
    expect(stdout).toContain('< set-cookie: [redacted]\n');
    expect(stdout).toContain('--all prints every exchange in full\n');
    // The request for the places, the conversation, and its first question again.
    expect(seen.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined, 'sid=s-2', 'sid=s-2', undefined]);
  });

  test('the events of a stream', async () => {
    const { baseUrl } = await openBot(({ body }, response) => {
      response.setHeader('Content-Type', 'text/event-stream');
      const events = [
        { type: 'start' },
        { type: 'delta', delta: 'You ' },
        { type: 'delta', delta: String(body['prompt']) },
        { type: 'finish' },
      ];
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
    const { code, scenario } = await init(['--from-curl', `curl -N ${baseUrl}/talk ${inJson({ prompt: 'Hi' })}`]);
    expect([code, scenario]).toEqual([
      0,
      expect.stringContaining("event['type'] === 'delta' ? event['delta'] : undefined"),
    ]);
    expect(scenario).toContain("end: (event: Record<string, unknown>) => event['type'] === 'finish'");
    expect(scenario).toContain("error: (event: Record<string, unknown>) => event['type'] === 'error'");
  });

  test.each([
    ['a token in the path', '/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/send', []],
    ['a generated part of the path', '/services/T00000000/xKq81ZbT0vWm93RtYpLs77Qd', []],
  ])('%s, which no result could be kept free of, and writes nothing', async (_, path) => {
    const { baseUrl } = await openBot(() => ({ reply: 'Yes' }));
    const { code, files, shown } = await init([
      '--from-curl',
      `curl ${baseUrl}${path} ${inJson({ message: 'Hi there' })}`,
    ]);
    expect([code, files]).toEqual([2, []]);
    expect(shown).not.toMatch(/AAHdqT|xKq81Z/);
  });

  test.each([
    "-H 'X-JWT: hunter2pw9'",
    "-H 'X-CSRF: hunter2pw9'",
    "-H 'X-Session: hunter2pw9'",
    "-H 'X-Api: hunter2pw9'",
    "-H 'X-Acme: hunter2pw9k9Zq3vXw7RtY2uPa5sDf8GhJ1lQeNb'",
    "-e 'http://x/?token=hunter2pw9'",
    '-d \'{"message":"Hi there","pwd":"hunter2pw9"}\'',
    '-d \'{"message":"Hi there","user_token":"hunter2pw9"}\'',
    '-d \'{"message":"Hi there","sig":"hunter2pw9"}\'',
    '-d \'{"message":"Hi there","auth_code":"hunter2pw9"}\'',
    '-d \'{"message":"Hi there","initDataHash":"hunter2pw9"}\'',
    '-d \'{"message":"Hi there","payload":{"hmac":"hunter2pw9"}}\'',
    '-d \'{"message":"Hi there","credentials":{"key":"hunter2pw9"}}\'',
    '-d \'{"message":"Hi there","tokens":["hunter2pw9"]}\'',
    '-d \'{"message":"Hi there","store":"postgres://app:hunter2pw9@db/app"}\'',
    "-H 'X-Target-Url: https://admin:hunter2pw9@h/'",
  ])('the secret of %s, and keeps it out of every file and output', async (words) => {
    const { baseUrl } = await openBot(() => ({ reply: 'Yes' }));
    const body = words.startsWith('-d') ? '' : inJson({ message: 'Hi there' });
    const { code, everything } = await init(['--from-curl', `curl ${baseUrl}/chat ${words} ${body}`]);
    expect([code, everything]).toEqual([0, expect.not.stringContaining('hunter2pw9')]);
  });

  test.each(['{"note":"use sk-proj-hunter2pw9hunter2pw9ab for it"}', '{"Authorization":"Bearer hunter2pw9"}'])(
    'a secret among other words in %s, and refuses it',
    async (fields) => {
      const { baseUrl } = await openBot(() => ({ reply: 'Yes' }));
      const body = inJson({ message: 'Hi there', ...(JSON.parse(fields) as object) });
      const { code, everything } = await init(['--from-curl', `curl ${baseUrl}/chat ${body}`]);
      expect([code, everything]).toEqual([2, expect.stringContaining('among other words')]);
      expect(everything).not.toContain('hunter2pw9');
    },
  );

  test('no word under the name of a code, which is an ordinary value', async () => {
    const { baseUrl } = await openBot(() => ({ reply: 'Yes' }));
    const body = inJson({ message: 'Hi there', code: 'python', country_code: 'en-US', design: 'modern7x' });
    const { scenario } = await init(['--from-curl', `curl ${baseUrl}/chat ${body}`]);
    expect(scenario).toContain("({ message, code: 'python', country_code: 'en-US', design: 'modern7x' })");
  });

  test.each([
    [`-H "Authorization: Token $MY_KEY"`, { authorization: 'Token v1' }],
    [`-H 'Authorization: Bearer \${MY_KEY}'`, { authorization: 'Bearer v1' }],
    [`-b "sid=$MY_KEY; tenant=$MY_TENANT"`, { cookie: 'sid=v1; tenant=acme' }],
    [`-H "X-Tenant: t-$MY_TENANT" -H "X-Api-Key: $MY_KEY"`, { 'x-tenant': 't-acme', 'x-api-key': 'v1' }],
  ])('the variables of %s, with the words around them', async (words, sent) => {
    const { baseUrl, seen } = await openBot(() => ({ reply: 'Yes' }));
    const curl = `curl ${baseUrl}/chat ${words} ${inJson({ message: 'Hi there' })}`;
    const { code, stdout } = await init(['--from-curl', curl], { MY_KEY: 'v1', MY_TENANT: 'acme' });
    expect([code, stdout]).toEqual([0, expect.not.stringMatching(/export (?!MY_)/)]);
    expect(seen.at(-1)?.headers).toMatchObject(sent);
  });

  test('a message of 100 kB without a space within the time of a short one', async () => {
    const { baseUrl } = await openBot(() => ({ reply: 'Yes' }));
    const { code } = await init(['--from-curl', `curl ${baseUrl}/chat ${inJson({ message: 'x'.repeat(1e5) })}`]);
    expect(code).toBe(0);
  });

  test('the id in the reply that continues a conversation, although the request has none', async () => {
    const { baseUrl, seen } = await openBot(({ body }) => ({
      reply: `Yes: ${String(body['message'])}`,
      conversation_id: body['conversation_id'] ?? `c-${String(seen.length)}`,
    }));
    const { code, stdout } = await init(['--from-curl', `curl ${baseUrl}/chat ${inJson({ message: 'Hello there' })}`]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('body.conversation_id, assumed: the reply has such')]);
    const ids = seen.map(({ body }) => body['conversation_id']);
    expect(ids).toEqual([undefined, undefined, ids[2], ids[2], undefined]);
    expect(ids[2]).toMatch(/^c-/);
  });

  test('the conversation in the body of a bot that only shares its path with a named protocol', async () => {
    const { baseUrl, seen } = await openBot(({ body }) => ({
      message: { role: 'assistant', content: `${String((body['messages'] as unknown[]).length)} messages` },
      done: true,
    }));
    const { code, scenario } = await init([
      '--from-curl',
      `curl ${baseUrl}/api/chat ${inJson({ model: 'llama', messages: [hello], stream: false })}`,
    ]);
    expect([code, scenario]).toEqual([0, expect.stringContaining("history: 'client'")]);
    expect(scenario).toContain("text: 'message.content',");
    expect(seen[2]?.body['messages']).toHaveLength(5);
  });
});

test('a scenario that cannot be tried stays, with the code of try', async () => {
  const { code, stdout, scenario } = await init([
    '--from-curl',
    `curl http://127.0.0.1:9/chat ${inJson({ message: 'Hi' })}`,
  ]);
  expect([code, stdout]).toEqual([3, expect.stringContaining('wrote     scenarios/agent.ts\n')]);
  expect(stdout).toContain('reply     not found: replace path.to.value by its path\n');
  expect(scenario).toContain("reply: { text: 'path.to.value' }");
});

test('overwrites no scenario, and sends nothing', async () => {
  const { baseUrl, seen } = await openBot(() => ({ reply: 'Yes' }));
  const folder = await makeFolder();
  const words = ['init', '--from-curl', `curl ${baseUrl}/chat ${inJson({ message: 'Hi' })}`];
  await performCommand(words, {}, folder);
  seen.length = 0;
  const { code, stderr } = await performCommand(words, {}, folder);
  expect([code, stderr, seen]).toEqual([2, expect.stringContaining('scenarios/agent.ts already exists'), []]);
});

test.each([
  [['--from-curl', 'curl http://127.0.0.1:9/ -d {}', '--url', 'http://127.0.0.1:9'], '--url has no effect'],
  [['--from-openapi', 'missing.json'], 'Name a readable file'],
  [['--operation', 'chat'], '--operation requires --from-openapi'],
  [['--from-curl', 'curl http://127.0.0.1:9/ -d \'{"a":1,"b":true}\''], 'no field that looks like the message'],
  [
    ['--from-curl', 'curl "http://127.0.0.1:9/?key=12345678" -d \'{"message":"Hi","token":"abcdefgh"}\''],
    'Remove the secrets that the request works without',
  ],
  [
    ['--from-curl', 'curl http://127.0.0.1:9/ -u a:b -H "X-Thing: sk-12345678" -d \'{"message":"Hi"}\''],
    'headers whose names suggest a credential',
  ],
  [
    ['--from-curl', `curl http://127.0.0.1:9/ -H 'Authorization: Bearer sk-1$X' -d '{"message":"Hi"}'`],
    'Put the whole value into one variable',
  ],
  [
    ['--from-curl', 'curl http://127.0.0.1:9/bot/sk-12345678/ -d \'{"message":"Hi"}\''],
    'The path of the URL contains a secret',
  ],
])('init %j is refused with a remedy, and nothing is written', async (words, message) => {
  const { code, stderr, files } = await init(words);
  expect([code, stderr, files]).toEqual([2, expect.stringContaining(message), []]);
});

test.each([
  ["-H 'bad header: x'", "The header 'bad header' is not a name that HTTP can transmit"],
  ["-H 'X-Name: caf\u20ac'", 'The header X-Name contains a character that is not in Latin-1'],
  ["-A $'one\\ntwo'", 'The header User-Agent contains a line break'],
  ["-H 'X-A: 1' -H 'x-a: 2'", 'The header x-a is named twice'],
])('init with the header of %s is refused, and nothing is written', async (words, message) => {
  const curl = `curl http://127.0.0.1:9/ ${words} -d '{"message":"Hi"}'`;
  const { code, stderr, files } = await init(['--from-curl', curl]);
  expect([code, stderr, files]).toEqual([2, expect.stringContaining(message), []]);
});

test.each([
  ['text/event-stream', 'data: It is 5\n\ndata:  to 12.\n\n', "stream: { format: 'sse', data: 'text', end: 'close' }"],
  ['text/plain; charset=utf-8', 'It is 5 to 12.', "stream: { format: 'text' }"],
])(
  'init --from-curl writes a definition that reads bare text (%s) and keeps the cookies of a session',
  async (type, body, expected) => {
    const { baseUrl, seen } = await openBot(({ headers }, response) => {
      response.setHeader('Content-Type', type);
      if (headers.cookie === undefined)
        response.setHeader('Set-Cookie', `sid=${String(seen.length)}; Path=/; HttpOnly`);
      response.write(body);
      response.end();
      return undefined;
    });
    const { code, scenario } = await init([
      '--from-curl',
      `curl -N ${baseUrl}/chat ${inJson({ message: 'Hello there' })}`,
    ]);
    expect([code, scenario]).toEqual([0, expect.stringContaining(expected)]);
    expect(scenario).toContain('cookies: true,');
    expect(seen.filter(({ headers }) => headers.cookie !== undefined).length).toBeGreaterThan(1);
  },
);
