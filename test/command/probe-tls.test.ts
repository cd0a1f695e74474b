import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ProbeDocument } from '../../src/probe/build-probe.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { root, runCommand } from '../support/command.ts';
import { hurried } from '../support/hurried.ts';
import { openService } from '../support/reference-client.ts';

const fixture = (name: string): string => join(root, 'test/fixtures', `test-only-localhost.${name}.pem`);
const identity = { cert: readFileSync(fixture('cert'), 'utf8'), key: readFileSync(fixture('key'), 'utf8') };

test('a probe sends the key over no connection whose certificate was not verified', async () => {
  const { baseUrl } = await openService({}, { tls: identity });
  const url = baseUrl.replace('127.0.0.1', 'localhost');
  const words = ['probe', '--json', '--base-url', url, '--agent-id', embeddedDefaults.agentId];
  const { code, stdout, stderr } = await runCommand([...words, '--max-connections', '2', '--step-duration', '300ms'], {
    env: { ...hurried, CHAT_LOAD_API_KEY: embeddedDefaults.apiKey, NODE_EXTRA_CA_CERTS: fixture('cert') },
  });
  expect([code, stderr]).toEqual([0, '']);
  const { steps, warnings } = JSON.parse(stdout) as ProbeDocument;
  // autocannon does not verify certificates.
  expect(steps.map(({ autocannon }) => autocannon)).toEqual(steps.map(() => null));
  expect(steps[0]?.chatLoad?.ok).toBeGreaterThan(0);
  expect(warnings.map(({ code: name }) => name)).toContain('certificate_not_verified');
});
