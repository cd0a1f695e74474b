import { expect, test } from 'vitest';
import { resolveScenario } from '../../plan/resolve-scenario.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { requestText } from './plan-text.ts';

const planned = (target: Scenario['target']) =>
  resolveScenario(
    { name: 'x', messages: ['Hi'], sessions: 1, target: { baseUrl: 'https://127.0.0.1:1', agentId: 'a', ...target } },
    { flags: {}, environment: {} },
  ).plan;

test('describes the authorization and headers of requests, without values', () => {
  expect(requestText(planned({ apiKey: 'key-of-mine' }))).toBe('authorized by the API key');
  const headers = { 'X-Tenant': 'acme', 'X-Api-Key': 'value-of-mine' };
  const text = requestText(
    planned({ auth: { bearer: 'token-of-mine' }, headers, trace: true, cookies: true, http2: true }),
  );
  expect(text).toBe(
    'authorized by a bearer token; headers: X-Tenant, X-Api-Key; traceparent per attempt; cookies per session; over HTTP/2',
  );
});

test('describes the stream of each session', () => {
  const textWith = (transport?: 'websocket'): string => {
    const listen = { transport, connect: () => ({ path: '/events' }), match: () => true, text: 'text', end: 'last' };
    return requestText(planned({ auth: 'none', protocol: { message: { path: '/ask' }, reply: { then: { listen } } } }));
  };
  expect(textWith()).toBe('no authorization; one stream of events per session');
  expect(textWith('websocket')).toBe('no authorization; one WebSocket per session next to its requests');
});
