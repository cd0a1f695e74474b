import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CalibrationDocument } from '../../src/calibrate/calibration-document.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { calibratedHere } from '../support/calibrated-here.ts';
import { root, runCommand } from '../support/command.ts';
import { openService } from '../support/reference-client.ts';

const fixture = (name: string): string => join(root, 'test/fixtures', `test-only-localhost.${name}.pem`);
const identity = { cert: readFileSync(fixture('cert'), 'utf8'), key: readFileSync(fixture('key'), 'utf8') };

test('the ceiling of a target with HTTPS is measured, with a verified certificate', async () => {
  const { baseUrl } = await openService({}, { tls: identity });
  const url = baseUrl.replace('127.0.0.1', 'localhost');
  const words = ['calibrate', '--json', '--base-url', url, '--agent-id', embeddedDefaults.agentId];
  const given = [...words, '--max-connections', '2', '--step-duration', '300ms'];
  const env = { ...(await calibratedHere()), CHAT_LOAD_API_KEY: embeddedDefaults.apiKey };
  const { code, stdout, stderr } = await runCommand(given, {
    env: { ...env, NODE_EXTRA_CA_CERTS: fixture('cert') },
  });
  expect([code, stderr]).toEqual([0, '']);
  const { steps } = (JSON.parse(stdout) as CalibrationDocument).target;
  expect(steps.map(({ connections, ok, classes }) => [connections, ok > 0, Object.keys(classes)])).toEqual([
    [1, true, ['ok']],
    [2, true, ['ok']],
  ]);
  expect((await runCommand(given, { env })).code).toBe(3);
});
