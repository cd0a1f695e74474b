import { expect, test } from 'vitest';
import { resolveScenario } from '../../plan/resolve-scenario.ts';
import { requestText } from '../plan/plan-text.ts';
import { insecureTexts } from '../words/target-text.ts';

test('--insecure applies only to the target: a token server is still verified', () => {
  const target = { baseUrl: 'https://127.0.0.1:1', agentId: 'a', apiKey: 'key-of-mine', tls: { insecure: true } };
  const { plan } = resolveScenario(
    { name: 'x', messages: ['Hi'], sessions: 1, target },
    { flags: {}, environment: {} },
  );
  expect(insecureTexts(plan)).toEqual([
    expect.stringMatching(/^INSECURE {2}the target’s certificate is not verified \(--insecure\): /),
  ]);
  expect(requestText(plan)).toContain('TLS certificate of the target not verified');
});
