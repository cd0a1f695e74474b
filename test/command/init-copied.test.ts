import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder } from '../support/command.ts';
import { inJson, openBot } from '../support/given-cases.ts';

type Answer = Parameters<typeof openBot>[0];

interface Copied {
  /** The command as copied, with another origin. */
  curl: (origin: string) => string;
  answer: Answer;
  env?: Record<string, string>;
  /** Parts of the output. */
  output: string;
  /** Headers of each request. */
  sent?: Readonly<Record<string, string>>;
}

const sse =
  (...events: readonly (object | string)[]): Answer =>
  (_, response) => {
    response.setHeader('Content-Type', 'text/event-stream');
    response.end(
      events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''),
    );
    return undefined;
  };
const lines =
  (...events: readonly object[]): Answer =>
  (_, response) => {
    response.setHeader('Content-Type', 'application/x-ndjson');
    response.end(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    return undefined;
  };

const completion: Answer = ({ body }) => ({
  id: `chatcmpl-${crypto.randomUUID()}`,
  object: 'chat.completion',
  created: 1,
  model: body['model'],
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
});

const copied: Readonly<Record<string, Copied>> = {
  'the documentation of OpenAI': {
    curl: (origin) => `curl ${origin}/v1/chat/completions \\
  -H "Content-Type: application/json" \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -d '{
    "model": "gpt-5.4",
    "messages": [
      {
        "role": "developer",
        "content": "You are a helpful assistant."
      },
      {
        "role": "user",
        "content": "Hello!"
      }
    ]
  }'`,
    answer: completion,
    env: { OPENAI_API_KEY: 'key-of-openai' },
    output: 'protocol  openai-chat, by the path /v1/chat/completions',
    sent: { authorization: 'Bearer key-of-openai' },
  },
  'the documentation of Azure OpenAI': {
    curl: (origin) => `curl -X POST "${origin}/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21" \\
  -H "Content-Type: application/json" \\
  -H "api-key: $AZURE_OPENAI_API_KEY" \\
  -d '{"messages":[{"role": "system", "content": "You are a helpful assistant."},{"role": "user", "content": "Does Azure OpenAI support customer managed keys?"}]}'`,
    answer: completion,
    env: { AZURE_OPENAI_API_KEY: 'key-of-azure' },
    output: 'protocol  azure-openai, by the path',
    sent: { 'api-key': 'key-of-azure' },
  },
  'the documentation of Mistral': {
    curl: (origin) => `curl --location "${origin}/v1/chat/completions" \\
     --header 'Content-Type: application/json' \\
     --header 'Accept: application/json' \\
     --header "Authorization: Bearer $MISTRAL_API_KEY" \\
     --data '{
    "model": "mistral-large-latest",
    "messages": [{"role": "user", "content": "Who is the most renowned French painter?"}]
  }'`,
    answer: completion,
    env: { MISTRAL_API_KEY: 'key-of-mistral' },
    output: 'note      redirects are not followed, unlike with curl -L',
    sent: { authorization: 'Bearer key-of-mistral' },
  },
  'the documentation of Anthropic': {
    curl: (origin) => `curl ${origin}/v1/messages \\
     --header "x-api-key: $ANTHROPIC_API_KEY" \\
     --header "anthropic-version: 2023-06-01" \\
     --header "content-type: application/json" \\
     --data \\
'{
    "model": "claude-sonnet-4-5",
    "max_tokens": 1024,
    "messages": [
        {"role": "user", "content": "Hello, world"}
    ]
}'`,
    answer: ({ body }) => ({
      id: `msg_${crypto.randomUUID()}`,
      type: 'message',
      role: 'assistant',
      model: body['model'],
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 2 },
    }),
    env: { ANTHROPIC_API_KEY: 'key-of-anthropic' },
    output: 'protocol  anthropic-messages, by the path /v1/messages',
    sent: { 'x-api-key': 'key-of-anthropic' },
  },
  'the documentation of Cohere': {
    curl: (origin) => `curl --request POST \\
  --url ${origin}/v2/chat \\
  --header 'accept: application/json' \\
  --header 'content-type: application/json' \\
  --header "Authorization: bearer $CO_API_KEY" \\
  --data '{
    "model": "command-a-03-2025",
    "messages": [{"role": "user", "content": "Hello world!"}]
  }'`,
    answer: () => ({
      id: crypto.randomUUID(),
      finish_reason: 'COMPLETE',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
      usage: { billed_units: { input_tokens: 3, output_tokens: 2 } },
    }),
    env: { CO_API_KEY: 'key-of-cohere' },
    output: 'message   body.messages, the whole conversation in every request',
    sent: { authorization: 'Bearer key-of-cohere' },
  },
  'the documentation of Ollama': {
    curl: (origin) => `curl ${origin}/api/generate -d '{
  "model": "llama3.2",
  "prompt": "Why is the sky blue?"
}'`,
    answer: lines(
      { model: 'llama3.2', created_at: '2026-08-04T08:52:19Z', response: 'The', done: false },
      { model: 'llama3.2', created_at: '2026-08-04T08:52:20Z', response: ' sky', done: false },
      { model: 'llama3.2', created_at: '2026-08-04T08:52:21Z', response: '', done: true, total_duration: 10 },
    ),
    output: 'reply     response of the events',
  },
  'the documentation of Dify': {
    curl: (origin) => `curl -X POST '${origin}/v1/chat-messages' \\
--header 'Authorization: Bearer app-Zq3vXw7RtY2u' \\
--header 'Content-Type: application/json' \\
--data-raw '{
    "inputs": {},
    "query": "What are the specs of the iPhone 13 Pro Max?",
    "response_mode": "streaming",
    "conversation_id": "",
    "user": "abc-123"
}'`,
    answer: (received, response) => {
      const { conversation_id: id } = received.body;
      if (id !== '' && id !== 'c-1') response.statusCode = 404;
      return sse(
        { event: 'message', message_id: 'm-1', conversation_id: 'c-1', answer: ' It' },
        { event: 'message', message_id: 'm-1', conversation_id: 'c-1', answer: ' is' },
        { event: 'message_end', id: 'm-1', conversation_id: 'c-1', metadata: { usage: { total_tokens: 3 } } },
      )(received, response);
    },
    output: 'session   body.conversation_id\n',
    sent: { authorization: 'Bearer app-Zq3vXw7RtY2u' },
  },
  'the documentation of Rasa': {
    curl: (origin) =>
      `curl -XPOST ${origin}/webhooks/rest/webhook -H "Content-type: application/json" -d '{"sender": "test_user", "message": "Hi there!"}'`,
    answer: ({ body }) => [
      { recipient_id: body['sender'], text: 'Hey Rasa!' },
      { recipient_id: body['sender'], image: 'http://example.com/image.jpg' },
    ],
    output: 'session   body.sender, a new id per session',
  },
  'the documentation of Langflow': {
    curl: (origin) => `curl --request POST \\
     --url '${origin}/api/v1/run/28b4e67b-44bd-4bb5-8a1e-5e3e0f8b5a10?stream=false' \\
     --header 'Content-Type: application/json' \\
     --header "x-api-key: $LANGFLOW_API_KEY" \\
     --data '{"output_type": "chat", "input_type": "chat", "input_value": "hello world!", "session_id": "chat-123"}'`,
    answer: ({ body }) => ({
      session_id: body['session_id'],
      outputs: [{ outputs: [{ results: { message: { text_key: 'text', text: 'Hello there.', sender: 'Machine' } } }] }],
    }),
    env: { LANGFLOW_API_KEY: 'key-of-langflow' },
    output: 'message   body.input_value',
    sent: { 'x-api-key': 'key-of-langflow' },
  },
  'the documentation of Voiceflow': {
    curl: (origin) => `curl --request POST \\
     --url ${origin}/state/user/user-1/interact \\
     --header 'Authorization: $VOICEFLOW_API_KEY' \\
     --header 'accept: application/json' \\
     --header 'content-type: application/json' \\
     --header 'versionID: production' \\
     --data '
{
  "action": {"type": "text", "payload": "Hello, I need help"},
  "config": {"tts": false, "stripSSML": true}
}
'`,
    answer: () => [{ type: 'speak', time: 1, payload: { type: 'message', message: 'What can I do for you today?' } }],
    env: { VOICEFLOW_API_KEY: 'VF.key-of-voiceflow' },
    output: 'message   body.action.payload',
    sent: { authorization: 'VF.key-of-voiceflow', versionid: 'production' },
  },
  'Chrome, with everything that it adds': {
    curl: (origin) => `curl '${origin}/backend/chat' \\
  -H 'accept: text/event-stream' \\
  -H 'accept-encoding: gzip, deflate, br, zstd' \\
  -H 'accept-language: en-GB,en;q=0.9' \\
  -H 'cache-control: no-cache' \\
  -H 'content-type: application/json' \\
  -b '_ga=GA1.1.12; connect.sid=s%3Aabc.def' \\
  -H 'dnt: 1' \\
  -H 'origin: https://app.example.com' \\
  -H 'pragma: no-cache' \\
  -H 'priority: u=1, i' \\
  -H 'referer: https://app.example.com/chat/9f1c' \\
  -H 'sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24", "Google Chrome";v="140"' \\
  -H 'sec-ch-ua-mobile: ?0' \\
  -H 'sec-ch-ua-platform: "Linux"' \\
  -H 'sec-fetch-dest: empty' \\
  -H 'sec-fetch-mode: cors' \\
  -H 'sec-fetch-site: same-origin' \\
  -H 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' \\
  -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36' \\
  -H 'x-requested-with: XMLHttpRequest' \\
  --compressed \\
  --data-raw $'{"prompt":"It\\'s late\\u0021 Where is my order?","history":[]}'`,
    answer: sse({ delta: 'It is ' }, { delta: 'here.' }, '[DONE]'),
    output: 'reply     delta of the events',
    sent: {
      cookie: '_ga=GA1.1.12; connect.sid=s%3Aabc.def',
      origin: 'https://app.example.com',
      'accept-language': 'en-GB,en;q=0.9',
      'x-requested-with': 'XMLHttpRequest',
    },
  },
  'Chrome on Windows, for cmd': {
    curl: (origin) => `curl ^"${origin}/chat^" ^
  -H ^"content-type: application/json^" ^
  --data-raw ^"^{^\\^"message^\\^":^\\^"Where is my order?^\\^"^}^"`,
    answer: () => ({ reply: 'Here.' }),
    output: 'reply     reply\n',
  },
  'a script, with a here-document': {
    curl: (origin) => `# One question.
time curl -sS -m 60 "${origin}/chat" -H 'Content-Type: application/json' -d @- <<'EOF' | jq -r .reply
{"message": "It's late. Where is my order?"}
EOF`,
    answer: () => ({ reply: 'Here.' }),
    output: 'reply     reply\n',
  },
  'Firefox, with headers of the connection': {
    curl: (origin) =>
      `curl '${origin}/chat' --compressed -X POST -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' -H 'Accept: */*' -H 'Accept-Language: en-US,en;q=0.5' -H 'Accept-Encoding: gzip, deflate, br, zstd' -H 'Content-Type: application/json' -H 'Content-Length: 9999' -H 'Host: other.example' -H 'Origin: null' -H 'Connection: keep-alive' -H 'Upgrade-Insecure-Requests: 1' -H 'Sec-Fetch-Dest: empty' -H 'Sec-GPC: 1' -H 'Priority: u=0' -H 'TE: trailers' --data-raw '{"message":"Where is my order?"}'`,
    answer: () => ({ reply: 'Here.' }),
    output: 'reply     reply\n',
    sent: { origin: 'null' },
  },
  'Safari, in its own order': {
    curl: (origin) => `curl '${origin}/chat' \\
-X 'POST' \\
-H 'Content-Type: application/json' \\
-H 'Pragma: no-cache' \\
-H 'Accept: */*' \\
-H 'Sec-Fetch-Site: same-origin' \\
-H 'Accept-Language: en-GB,en;q=0.9' \\
-H 'Cache-Control: no-cache' \\
-H 'Sec-Fetch-Mode: cors' \\
-H 'Accept-Encoding: gzip, deflate, br' \\
-H 'Origin: https://app.example.com' \\
-H 'Content-Length: 32' \\
-H 'Connection: keep-alive' \\
-H 'Priority: u=3, i' \\
--data-binary '{"message":"Where is my order?"}'`,
    answer: () => ({ reply: 'Here.' }),
    output: 'reply     reply\n',
    sent: { 'accept-language': 'en-GB,en;q=0.9' },
  },
  'Postman, with its own headers': {
    curl: (origin) => `curl --location --request POST '${origin}/chat' \\
--header 'Content-Type: application/json' \\
--header 'X-Api-Key: key-of-a-team' \\
--header 'Cache-Control: no-cache' \\
--header 'Postman-Token: 5c1fd7e4-6d4f-4b43-9b5e-8f3a0d0f8a11' \\
--header 'Idempotency-Key: 11112222' \\
--header 'User-Agent: PostmanRuntime/7.44.0' \\
--data-raw '{
    "question": "Where is my order?"
}'`,
    answer: () => ({ answer: 'Here.' }),
    output: 'note      the header Idempotency-Key is not taken over: it identifies one request',
    sent: { 'x-api-key': 'key-of-a-team' },
  },
  'a tutorial of Flask, which answers a query with bare text': {
    curl: (origin) => `curl "${origin}/get?msg=Hello"`,
    answer: ({ path }, response) => {
      const text = `You wrote: ${new URL(path, 'http://h').searchParams.get('msg') ?? ''}`;
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.setHeader('Content-Length', Buffer.byteLength(text));
      response.end(text);
      return undefined;
    },
    output: 'message   query msg\n',
  },
  'an EventSource, with a session of the page': {
    curl: (origin) =>
      `curl -N -G ${origin}/stream --data-urlencode 'message=Where is my order?' -d session_id=s-1 -H 'Accept: text/event-stream'`,
    answer: sse({ token: 'It is ' }, { token: 'here.' }, '[DONE]'),
    output: 'session   query session_id, a new id per session',
  },
  'a path with an id that the client chooses': {
    curl: (origin) => `curl ${origin}/v3/agents/a-1/sessions/demo-1:detectIntent ${inJson({ text: 'Hello there' })}`,
    answer: ({ path }) => ({ answer: path.includes('demo-1') ? 'old' : 'new' }),
    output: 'session   in the path, a new id per session',
  },
  'a path with an id that the service has created': {
    curl: (origin) => `curl ${origin}/conversations/c-1/messages ${inJson({ text: 'Hello there' })}`,
    answer: ({ path }, response) => {
      if (path !== '/conversations/c-1/messages') response.statusCode = 404;
      return path === '/conversations/c-1/messages' ? { answer: 'Here.' } : { error: 'unknown conversation' };
    },
    output: 'session   none found: all sessions send the same path',
  },
  'a body in parts, as of Agno': {
    curl: (origin) => `curl -X POST ${origin}/agents/a-1/runs -F 'message=Hello there' -F stream=false`,
    answer: ({ path, body }, response) => {
      if (path !== '/agents/a-1/runs' || body['stream'] !== 'false') response.statusCode = 422;
      return { content: `You wrote: ${String(body['message'])}` };
    },
    output: 'message   form field message\n',
  },
  'a form of PHP': {
    curl: (origin) => `curl ${origin}/chat.php -d 'message=Hello&user_id=7&lang=en'`,
    answer: ({ body }, response) => {
      if (body['lang'] !== 'en') response.statusCode = 400;
      return { answer: `You wrote: ${String(body['message'])}` };
    },
    output: 'message   form field message\n',
    sent: { 'content-type': 'application/x-www-form-urlencoded' },
  },
};

/** Headers that describe another connection, page or request. */
const foreign =
  /'(?:accept-encoding|connection|content-length|host|te|upgrade-insecure-requests|priority|dnt|pragma|cache-control|referer|traceparent|postman-token|idempotency-key|sec-[\w-]*)'/i;

describe('init --from-curl writes a scenario that works for a command as copied from', () => {
  test.each(Object.entries(copied))('%s', async (_, { curl, answer, env = {}, output, sent = {} }) => {
    const { baseUrl, seen } = await openBot(answer);
    const folder = await makeFolder();
    const ended = await performCommand(['init', '--from-curl', curl(baseUrl)], env, folder);
    expect([ended.code, ended.stderr, ended.code === 0 ? '' : ended.stdout]).toEqual([0, '', '']);
    expect(ended.stdout).toMatch(/\nPASSED\n/);
    expect(ended.stdout).toContain(output);
    const scenario = await readFile(join(folder, 'scenarios/agent.ts'), 'utf8');
    expect(scenario).not.toMatch(foreign);
    for (const { headers } of seen) expect(headers).toMatchObject(sent);
  });
});
