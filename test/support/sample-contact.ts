import type { Contact, ContactExchange } from '../../src/conformance/contact/contact.ts';

const failed: ContactExchange = {
  turn: 1,
  request: {
    method: 'POST',
    url: 'http://a.example/v1/chat/completions',
    fields: [['X-Tenant', 'acme']],
    body: '{"model":"m"}',
  },
  response: {
    status: 404,
    version: 'HTTP/1.1',
    contentType: 'text/plain',
    fields: [['location', 'http://a.example/v2']],
    detail: 'cut off',
    firstByteMs: 3,
    totalMs: 5,
    body: 'not here',
    bodyLength: 8,
    events: [{ atMs: 4, type: 'delta', data: 'Hi' }],
    content: { firstMs: 4, lastMs: 4, events: 1 },
  },
  reading: {
    outcome: 'not_found',
    detail: 'status 404: not here',
    text: 'Hi',
    id: 'x',
    usage: { inputTokens: 1, outputTokens: undefined },
    calls: ['look'],
    lacksDone: true,
  },
};

/** A first conversation that failed, with every text that a service can choose. */
export const contact: Contact = {
  target: {
    baseUrl: 'http://a.example/v1',
    isEmbedded: false,
    agentId: 'm',
    protocol: 'openai-chat',
    isByPath: true,
    history: 'client',
    stream: true,
    canStream: true,
    isOpen: false,
    isGuarded: true,
  },
  address: '192.0.2.1',
  tls: { protocol: 'TLSv1.3', issuer: 'An authority' },
  exchanges: [failed, { ...failed, response: { ...failed.response, events: undefined } }],
  code: 'QX1',
  streamed: undefined,
  found: {
    found: [
      {
        name: 'anthropic-messages',
        url: 'http://a.example/v1/messages',
        isBelow: true,
        status: 400,
        isKeyRefused: false,
        message: 'model: required',
      },
    ],
    requests: 5,
    otherwise: 'is answered with status 404',
    otherStatus: 404,
  },
  signal: undefined,
};
