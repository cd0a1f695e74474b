import { expect, test } from 'vitest';
import { ms } from '../../base/time.ts';
import { publishStop, targetRemedy } from './run-facts.ts';

test('a remedy for messages names no option of creations, which some protocols do not have', () => {
  for (const outcome of ['contract_broken', 'malformed', 'not_found'] as const) {
    expect(targetRemedy({ operation: 'message', outcome, auth: 'key' })).not.toContain('createSession');
    expect(targetRemedy({ operation: 'message', outcome, auth: 'key' })).toContain('`chat-load try`');
  }
});

test('a remedy that names `try` covers every protocol', () => {
  for (const outcome of ['contract_broken', 'malformed', 'not_found', 'missing_fields'] as const)
    expect(targetRemedy({ operation: 'message', outcome, auth: 'key' })).toContain(
      'also for a protocol of defineProtocol',
    );
});

test('a remedy for creations names the options that the id of a session is read by', () => {
  expect(targetRemedy({ operation: 'create', outcome: 'contract_broken', auth: 'key' })).toContain(
    'target.createSession.sessionIdFrom',
  );
  expect(targetRemedy({ operation: 'create', outcome: 'contract_broken', auth: 'key' })).toContain(
    'createSession.sessionId of defineProtocol',
  );
});

test.each(['unauthorized', 'forbidden'] as const)(
  'a remedy for %s names the clock only if requests are signed',
  (outcome) => {
    const circuit = { kind: 'circuit', why: outcome, atMs: ms(1) } as const;
    for (const auth of ['key', 'none', 'bearer', 'header', 'basic', 'token', 'command', 'oauth', 'sigv4']) {
      const remedies = [
        targetRemedy({ operation: 'message', outcome, auth }),
        publishStop(circuit, { auth })?.remedy ?? '',
      ];
      expect(remedies.map((remedy) => /sigv4|clock|region/.test(remedy))).toEqual(Array(2).fill(auth === 'sigv4'));
    }
  },
);
