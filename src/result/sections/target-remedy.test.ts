import { expect, test } from 'vitest';
import { targetRemedy } from './run-facts.ts';

test('a remedy for messages names no option of creations, which some protocols do not have', () => {
  for (const outcome of ['contract_broken', 'malformed', 'not_found'] as const) {
    expect(targetRemedy('message', outcome)).not.toContain('createSession');
    expect(targetRemedy('message', outcome)).toContain('`chat-load try`');
  }
});

test('a remedy that names `try` covers every protocol', () => {
  for (const outcome of ['contract_broken', 'malformed', 'not_found', 'missing_fields'] as const)
    expect(targetRemedy('message', outcome)).toContain('also for a protocol of defineProtocol');
});

test('a remedy for creations names the options that the id of a session is read by', () => {
  expect(targetRemedy('create', 'contract_broken')).toContain('target.createSession.sessionIdFrom');
  expect(targetRemedy('create', 'contract_broken')).toContain('createSession.sessionId of defineProtocol');
});
