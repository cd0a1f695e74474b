import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { ChatLoadError } from '../../base/errors.ts';
import { readOpenapi } from './read-openapi.ts';

const post = (schema: object, more: object = {}): object => ({
  requestBody: { content: { 'application/json': { schema } } },
  responses: { 200: { description: 'ok' } },
  ...more,
});
const textField = { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] };
const chat = post(textField, { operationId: 'chat' });
const describing = (paths: object, more: object = {}): object => ({
  openapi: '3.1.0',
  servers: [{ url: 'http://127.0.0.1:8000/api/' }],
  paths,
  ...more,
});

const read = (document: object, chosen: Parameters<typeof readOpenapi>[1] = {}) =>
  readOpenapi(JSON.stringify(document), chosen);

function refusalOf(source: string, chosen: Parameters<typeof readOpenapi>[1] = {}): string {
  try {
    readOpenapi(source, chosen);
  } catch (thrown) {
    if (thrown instanceof ChatLoadError && thrown.code === 'usage') return `${thrown.message}\n${thrown.hint}`;
    throw thrown;
  }
  return 'accepted';
}

describe('readOpenapi', () => {
  test('reads JSON and YAML alike: URL, body and notes', () => {
    const document = describing({ '/chat': { post: chat } });
    const { message, notes } = read(document);
    expect([message.url.href, message.body, notes]).toEqual([
      'http://127.0.0.1:8000/api/chat',
      { message: 'text' },
      ['the operation is chat (POST /chat)'],
    ]);
    expect(readOpenapi(stringify(document), {})).toEqual(read(document));
    expect(read(document, { url: 'https://h.example/v2' }).message.url.href).toBe('https://h.example/v2/chat');
  });

  test('builds an example from required fields, defaults, enums, examples and references', () => {
    const schema = {
      allOf: [{ $ref: '#/components/schemas/Base' }],
      properties: {
        prompt: { type: 'string', examples: ['Where is it?'] },
        mode: { enum: ['fast', 'slow'] },
        limit: { type: 'integer', minimum: 3 },
        tags: { type: 'array', items: { type: 'string' } },
        thread_id: { type: ['string', 'null'] },
        skipped: { type: 'string' },
        verbose: { type: 'boolean', default: true },
      },
      required: ['prompt', 'mode', 'limit', 'tags'],
    };
    const components = {
      schemas: { Base: { type: 'object', properties: { locale: { const: 'en' } }, required: ['locale'] } },
    };
    const { message } = read(describing({ '/chat': { post: post(schema) } }, { components }));
    expect(message.body).toEqual({
      locale: 'en',
      prompt: 'Where is it?',
      mode: 'fast',
      limit: 3,
      tags: ['text'],
      thread_id: null,
      verbose: true,
    });
  });

  test('ends for schemas that contain themselves', () => {
    const components = {
      schemas: {
        Node: {
          type: 'object',
          properties: { text: { type: 'string' }, child: { $ref: '#/components/schemas/Node' } },
          required: ['text', 'child'],
        },
      },
    };
    const { message } = read(
      describing({ '/chat': { post: post({ $ref: '#/components/schemas/Node' }) } }, { components }),
    );
    expect(message.body).toMatchObject({ text: 'text', child: { text: 'text' } });
  });

  test.each([
    [{ type: 'apiKey', in: 'header', name: 'X-Key' }, [['X-Key', '$CHAT_LOAD_API_KEY']], '', undefined],
    [{ type: 'apiKey', in: 'query', name: 'key' }, [], '?key=%24CHAT_LOAD_API_KEY', undefined],
    [{ type: 'apiKey', in: 'cookie', name: 'auth' }, [['Cookie', 'auth=$CHAT_LOAD_API_KEY']], '', undefined],
    [{ type: 'http', scheme: 'bearer' }, [['Authorization', 'Bearer $CHAT_LOAD_API_KEY']], '', undefined],
    [{ type: 'oauth2', flows: {} }, [['Authorization', 'Bearer $CHAT_LOAD_API_KEY']], '', undefined],
    [{ type: 'http', scheme: 'basic' }, [], '', ['$CHAT_LOAD_USER', '$CHAT_LOAD_PASSWORD']],
  ])('reads the security scheme %j', (scheme, headers, search, basic) => {
    const components = { securitySchemes: { main: scheme } };
    const { message } = read(describing({ '/chat': { post: chat } }, { components, security: [{ main: [] }] }));
    expect([message.headers, message.url.search, message.basic]).toEqual([headers, search, basic]);
  });

  test('fills in required parameters by their examples', () => {
    const parameters = [
      { name: 'tenant', in: 'path', required: true, example: 'acme co' },
      { name: 'v', in: 'query', required: true, schema: { default: 2 } },
      { name: 'X-Client', in: 'header', required: true, schema: { enum: ['web'] } },
      { name: 'debug', in: 'query', schema: { type: 'boolean' } },
    ];
    const { message } = read(describing({ '/{tenant}/chat': { parameters, post: chat } }));
    expect([message.url.href, message.headers]).toEqual([
      'http://127.0.0.1:8000/api/acme%20co/chat?v=2',
      [['X-Client', 'web']],
    ]);
  });

  test('fills in parameters by the values that are given', () => {
    const parameters = [
      { name: 'bot', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'debug', in: 'query', schema: { type: 'boolean' } },
    ];
    const document = describing({ '/{region}/bots/{bot}/chat': { parameters, post: chat } });
    const { message } = read(document, { parameters: ['bot=a b', 'region=eu', 'debug=1'] });
    expect(message.url.href).toBe('http://127.0.0.1:8000/api/eu/bots/a%20b/chat?debug=1');
    const source = JSON.stringify(document);
    expect(refusalOf(source)).toContain('the parameters {region} and {bot} without an example');
    expect(refusalOf(source)).toContain('State their values: --parameter region=VALUE --parameter bot=VALUE.');
    expect(refusalOf(source, { parameters: ['bot'] })).toContain('--parameter takes name=value');
    const misspelled = { parameters: ['bot=a', 'region=eu', 'bto=c'] };
    expect(refusalOf(source, misspelled)).toContain('--parameter bto is not a parameter');
    expect(refusalOf(source, misspelled)).toContain('Name one of: bot, debug.');
  });

  test.each([
    [
      'the role of a user, although system is first',
      {
        properties: {
          messages: {
            type: 'array',
            items: {
              properties: {
                role: { type: 'string', enum: ['system', 'user', 'assistant'], default: 'system' },
                content: { type: 'string' },
              },
              required: ['role', 'content'],
            },
          },
        },
        required: ['messages'],
      },
      { messages: [{ role: 'user', content: 'text' }] },
    ],
    [
      'the first choice with a message, and its discriminator',
      {
        oneOf: [{ $ref: '#/components/schemas/Ping' }, { $ref: '#/components/schemas/Say' }],
        discriminator: {
          propertyName: 'kind',
          mapping: { ping: '#/components/schemas/Ping', say: '#/components/schemas/Say' },
        },
      },
      { kind: 'say', message: 'text' },
    ],
    [
      'optional objects with a session or a message, and no others',
      {
        properties: {
          input: {
            anyOf: [
              { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
              { type: 'null' },
            ],
          },
          config: {
            type: 'object',
            properties: { configurable: { type: 'object', properties: { session_id: { type: 'string' } } } },
          },
          trace: { type: 'object', properties: { level: { type: 'integer' } } },
        },
      },
      { input: { question: 'text' }, config: { configurable: { session_id: 'session' } } },
    ],
    [
      'values of formats and lengths, without fields that only replies have',
      {
        properties: {
          id: { type: 'string', readOnly: true },
          message: { type: ['string', 'null'], minLength: 9 },
          client: { type: 'string', format: 'uuid' },
          at: { type: 'string', format: 'date-time' },
          session_id: { type: 'string', nullable: true },
        },
        required: ['id', 'message', 'client', 'at'],
      },
      {
        message: 'text text',
        client: '3f2b8c1e-7d4a-4c59-9b1f-5a6d7e8f9012',
        at: '2026-01-01T00:00:00Z',
        session_id: null,
      },
    ],
  ])('builds an example with %s', (_, schema, body) => {
    const choice = (more: object) => ({
      type: 'object',
      properties: { kind: { type: 'string' }, ...more },
      required: ['kind', ...Object.keys(more)],
    });
    const schemas = { Ping: choice({}), Say: choice({ message: { type: 'string' } }) };
    const { message } = read(describing({ '/chat': { post: post(schema) } }, { components: { schemas } }));
    expect(message.body).toEqual(body);
  });

  test('keeps cookies that replies set, and those of sessions', () => {
    const responses = { 200: { description: 'ok', headers: { 'Set-Cookie': { schema: { type: 'string' } } } } };
    const setting = read(describing({ '/chat': { post: { ...chat, responses } } }));
    const components = { securitySchemes: { main: { type: 'apiKey', in: 'cookie', name: 'sessionid' } } };
    const known = read(describing({ '/chat': { post: chat } }, { components, security: [{ main: [] }] }));
    expect([setting.cookies, known.cookies, known.message.headers]).toEqual([true, true, []]);
    expect(read(describing({ '/chat': { post: chat } })).cookies).toBeUndefined();
  });

  test('leaves required parameters without an example to variables', () => {
    const parameters = [
      { name: 'tenant-id', in: 'query', required: true, schema: { type: 'string' } },
      { name: 'X-Client', in: 'header', required: true },
    ];
    const { message } = read(describing({ '/chat': { parameters, post: chat } }));
    expect([message.url.searchParams.get('tenant-id'), message.headers]).toEqual([
      '$TENANT_ID',
      [['X-Client', '$X_CLIENT']],
    ]);
  });

  test('notes the credentials of a server, and keeps limits that are not exact out of examples', () => {
    const schema = { ...textField, properties: { ...textField.properties, n: { type: 'integer', maximum: 1 } } };
    const text = JSON.stringify(
      describing({ '/chat': { post: post(schema) } }, { servers: [{ url: 'https://bob:s3cret@bot.example' }] }),
    ).replace('"maximum":1', '"maximum":9223372036854775807');
    const { message, notes } = readOpenapi(text, {});
    expect(message.url.href).toBe('https://bot.example/chat');
    expect(notes).toContain('the user and the password of the server are not taken over: set target.auth');
  });

  test('prefers parameters of the operation to those of the path, and security schemes to both', () => {
    const at = (example: string) => [
      { name: 'x-mode', in: 'header', required: true, example },
      { name: 'v', in: 'query', required: true, example },
      { name: 'authorization', in: 'header', required: true, example },
    ];
    const components = { securitySchemes: { main: { type: 'http', scheme: 'bearer' } } };
    const { message } = read(
      describing(
        { '/chat': { parameters: at('one'), post: { ...chat, parameters: at('two') } } },
        { components, security: [{ main: [] }] },
      ),
    );
    expect([message.url.search, message.headers]).toEqual([
      '?v=two',
      [
        ['Authorization', 'Bearer $CHAT_LOAD_API_KEY'],
        ['x-mode', 'two'],
      ],
    ]);
  });

  test('creates the session below another parameter', () => {
    const parameters = [
      { name: 'agent', in: 'path', required: true, example: 'support' },
      { name: 'session_id', in: 'path', required: true, schema: { type: 'string' } },
    ];
    const created = post({ type: 'object' }, { responses: {} });
    const { message, creation } = read(
      describing({
        '/agents/{agent}/sessions': { parameters: parameters.slice(0, 1), post: created },
        '/agents/{agent}/sessions/{session_id}/messages': { parameters, post: chat },
      }),
    );
    expect([creation?.url.pathname, message.url.pathname]).toEqual([
      '/api/agents/support/sessions',
      '/api/agents/support/sessions/session/messages',
    ]);
  });

  const two = describing({
    '/ask': { post: post(textField, { operationId: 'ask' }) },
    '/chat': { post: post(textField) },
    '/rate': {
      post: post(
        { type: 'object', properties: { stars: { type: 'integer' } }, required: ['stars'] },
        { operationId: 'rate' },
      ),
    },
  });

  const query = (name: string, more: object = {}): object => ({
    name,
    in: 'query',
    schema: { type: 'string' },
    ...more,
  });

  test.each([
    [
      'get',
      { parameters: [query('message', { required: true }), query('session_id'), query('limit', { example: 5 })] },
      { method: 'GET', fields: 'query', body: { message: 'text', session_id: '' } },
      '',
    ],
    [
      'post',
      {
        parameters: [
          query('text', { required: true }),
          query('user_id', { required: true }),
          query('lang', { required: true, example: 'en' }),
        ],
      },
      { method: 'POST', fields: 'query', body: { text: 'text', user_id: 'id-1' } },
      '?lang=en',
    ],
    [
      'post',
      {
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                properties: { message: { type: 'string' }, top_k: { type: 'integer', default: 3 } },
                required: ['message'],
              },
            },
          },
        },
      },
      { method: 'POST', fields: 'form', body: { message: 'text', top_k: '3' } },
      '',
    ],
    [
      'post',
      {
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                properties: {
                  message: { type: 'string' },
                  image: { type: 'string', format: 'binary' },
                  files: { type: 'array', items: { type: 'string', contentMediaType: 'application/octet-stream' } },
                },
                required: ['message', 'image', 'files'],
              },
            },
          },
        },
      },
      { method: 'POST', fields: 'multipart', body: { message: 'text' } },
      '',
    ],
    [
      'post',
      { requestBody: { content: { 'application/json': { schema: { type: 'string', title: 'Message' } } } } },
      { method: 'POST', fields: 'string', body: { message: 'text' } },
      '',
    ],
    [
      'post',
      { requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } } },
      { method: 'POST', fields: 'text', body: { message: 'text' } },
      '',
    ],
  ])('finds the message of a %s request in a query, a form, parts or a text', (method, operation, message, search) => {
    const other = post({ type: 'object', properties: { stars: { type: 'integer' } }, required: ['stars'] });
    const found = read(describing({ '/ask': { [method]: operation }, '/rate': { post: other } }));
    expect(found.message).toMatchObject(message);
    expect(found.message.url.search).toBe(search);
  });

  test.each(['3.0.3', '3.1.0'])('keeps optional objects with the id of a session in OpenAPI %s', (openapi) => {
    const isOld = openapi === '3.0.3';
    const optional = (type: string, properties?: object): object =>
      isOld
        ? { type, nullable: true, ...(properties && { properties }) }
        : { anyOf: [{ type, ...(properties && { properties }) }, { type: 'null' }] };
    const meta = optional('object', {
      session: optional('object', { id: optional('string') }),
      lang: optional('string'),
    });
    const of = optional('object', { conversation_id: optional('string') });
    const document = describing(
      { '/chat': { post: post({ ...textField, properties: { ...textField.properties, meta, of } }) } },
      { openapi },
    );
    expect(read(document).message.body).toEqual({
      message: 'text',
      meta: { session: { id: null } },
      of: { conversation_id: null },
    });
  });

  test('leaves the id of a path that no operation creates to the client, and notes it', () => {
    const paths = { '/threads/{thread_id}/messages': { post: chat }, '/rate': { post: post({ type: 'object' }) } };
    const { creation, sessionSegment, message, notes } = read(describing(paths));
    expect([creation, sessionSegment, message.url.pathname]).toEqual([undefined, 2, '/api/threads/session/messages']);
    expect(notes.join()).toContain('no POST /threads creates the session');
  });

  test('prefers a message in JSON, and takes values of parameters in a query', () => {
    const search = { get: { operationId: 'search', parameters: [query('q', { required: true })] } };
    const document = describing({ '/search': search, '/chat': { post: chat } });
    expect(read(document).message.url.pathname).toBe('/api/chat');
    const { message } = read(document, { operation: 'search', parameters: ['q=Where is it?'] });
    expect([message.method, message.body, message.url.search]).toEqual(['GET', { q: 'Where is it?' }, '']);
  });

  test('lists several operations, of which one can be named', () => {
    expect(refusalOf(JSON.stringify(two))).toBe(
      "--from-openapi: 2 operations may send a message.\nNothing was written. Name one of them:\n  --operation ask (POST /ask)\n  --operation 'POST /chat' (POST /chat)",
    );
    expect(read(two, { operation: 'POST /chat' }).message.url.pathname).toBe('/api/chat');
    expect(read(two, { operation: 'ask' }).message.url.pathname).toBe('/api/ask');
    expect(refusalOf(JSON.stringify(two), { operation: 'missing' })).toContain(
      '--operation missing sends no JSON, no form, no parts and no message in its query',
    );
  });

  test.each([
    ['{"swagger":"2.0"}', 'is a Swagger 2 description', 'npx swagger2openapi'],
    ['{"openapi":"2.9"}', 'not an OpenAPI 3 description', '/openapi.json'],
    ['a: [', 'neither JSON nor YAML', 'Name an OpenAPI 3 description'],
    [JSON.stringify(describing({})), 'no operation has a body or a query', 'a service with a POST'],
    [
      JSON.stringify(describing({ '/a': { post: post({ type: 'object' }) } })),
      'no operation has a body or a query',
      '--operation',
    ],
    [JSON.stringify({ ...describing({ '/chat': { post: chat } }), servers: undefined }), 'names no server', '--url'],
    [
      JSON.stringify({ ...describing({ '/chat': { post: chat } }), servers: [{ url: '/api' }] }),
      "'/api' is not a complete URL",
      '--url',
    ],
    [
      JSON.stringify(describing({ '/chat': { $ref: 'other.yaml#/chat' } })),
      'leads out of the file',
      'Bundle the description',
    ],
    [
      JSON.stringify(describing({ '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1a' } })),
      'the reference #/paths/~1b is circular',
      'Correct the description',
    ],
    ...[[], [{ name: 'bot', in: 'path', required: true, schema: { type: 'string' } }]].map((parameters) => [
      JSON.stringify(describing({ '/bots/{bot}/chat': { parameters, post: chat } })),
      'the path /bots/{bot}/chat has the parameter {bot} without an example',
      '--parameter bot=VALUE',
    ]),
    [
      JSON.stringify(
        describing({ '/chat': { post: post({ ...textField, example: { message: 'Hi', id: 1 } }) } }),
      ).replace('"id":1', '"id":9007199254740993'),
      'the example of POST /chat contains the number 9007199254740993, which',
      'in quotes',
    ],
    [JSON.stringify(describing({ '/chat': { $ref: '#/missing' } })), 'leads nowhere', 'Correct the description'],
  ])('refuses %s with a remedy', (source, fault, remedy) => {
    expect(refusalOf(source)).toContain(fault);
    expect(refusalOf(source)).toContain(remedy);
  });
});
