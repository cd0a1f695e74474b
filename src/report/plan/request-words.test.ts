import { expect, test } from 'vitest';
import { settle } from '../../plan/settle.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { requestText } from './plan-words.ts';

const planned = (target: Scenario['target']) =>
  settle(
    { name: 'x', messages: ['Hi'], sessions: 1, target: { baseUrl: 'https://127.0.0.1:1', agentId: 'a', ...target } },
    { flags: {}, environment: {} },
  ).plan;

test('explains how requests are authorized and the contents of their heads, without a value', () => {
  expect(requestText(planned({ apiKey: 'key-of-mine' }))).toBe('authorized by the API key');
  const headers = { 'X-Tenant': 'acme', 'X-Api-Key': 'value-of-mine' };
  const text = requestText(
    planned({ auth: { bearer: 'token-of-mine' }, headers, trace: true, cookies: true, http2: true }),
  );
  expect(text).toBe(
    'authorized by a bearer token; headers: X-Tenant, X-Api-Key; traceparent per attempt; cookies per session; over HTTP/2',
  );
});
