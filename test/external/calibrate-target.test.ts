import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CalibrationDocument } from '../../src/calibrate/calibration-document.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { calibratedHere } from '../support/calibrated-here.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, runCommand, startCommand, writeScenario, type Ended } from '../support/command.ts';
import { response, unusedPort } from '../support/http-peer.ts';
import { calibration } from '../support/measured-documents.ts';
import { oneAtATime, openChatPeer, replyTo } from '../support/probe-peer.ts';
import { openService } from '../support/reference-client.ts';

const key = 'sk-calibrate-secret';
const calibrated = await calibratedHere();

const calibrate = (words: readonly string[], baseUrl: string): Promise<Ended> =>
  performCommand(['calibrate', ...words, '--base-url', baseUrl, '--agent-id', 'a'], {
    ...calibrated,
    CHAT_LOAD_API_KEY: key,
  });

const documentOf = ({ stdout }: Ended): CalibrationDocument => JSON.parse(stdout) as CalibrationDocument;

describe('chat-load calibrate', () => {
  test('finds the ceiling of a target that answers one turn at a time', async () => {
    const peer = await openChatPeer(oneAtATime(10));
    const given = `${peer.baseUrl}/`;
    const ended = await calibrate(['--json', '--step-duration', '500ms'], given);
    const { target, limit, sends, calibratedAt } = documentOf(ended);
    const { ceiling, steps, turnsSent, end } = target;
    expect([ended.code, ended.stderr, target.scenario, target.baseUrl]).toEqual([0, '', null, given]);
    expect([limit, ceiling?.reached, ceiling?.reason]).toEqual([null, true, 'no_growth']);
    // On a busy machine, the noise of a step may look like growth up to the maximum number of connections.
    expect(['no_growth', 'most_connections']).toContain(end);
    // A timer never fires early: at most 100 per second, and slightly fewer on a machine under load.
    expect(ceiling?.turnsPerSecond).toBeLessThanOrEqual(105);
    expect(ceiling?.turnsPerSecond).toBeGreaterThan(30);
    expect(ceiling?.connections).toBeLessThanOrEqual(4);
    expect([sends, calibratedAt]).toEqual([calibration.sends, calibration.calibratedAt]);
    expect(steps.map(({ connections }) => connections).slice(0, 3)).toEqual([1, 2, 4]);
    // Messages aborted at the end of a step may not have reached the target.
    expect(peer.messages.length).toBeLessThanOrEqual(turnsSent);
    expect(ended.stdout).not.toContain(key);
  });

  test('judges the load of a scenario, and never reports an unreached ceiling', async () => {
    const path = await writeScenario(
      await makeFolder(),
      "{ name: 'calm', messages: ['Hello from the file'], turns: 4, thinkTime: '1s', sessions: 50, load: { concurrency: 10 }, timeout: '20s' }",
    );
    const peer = await openChatPeer((arrival) => setTimeout(() => arrival.socket.write(replyTo(arrival)), 40));
    const words = [path, '--step-duration', '500ms', '--max-connections', '3'];
    const { code, stdout } = await calibrate(words, peer.baseUrl);
    const text = stdout.replace(/\s+/g, ' ');
    expect([code, peer.messages[0]?.text.includes('Hello from the file')]).toEqual([0, true]);
    expect(text).toMatch(/took at least [\d.]+ turns\/s at 3 connections: the rate still grew/);
    expect(text).toMatch(/calm needs up to [\d.]+ turns\/s .* It is near neither\./);
    expect(stdout).toContain(`${peer.baseUrl}, agent a, first turns of calm`);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('reports why nothing was measured if no turn succeeds', async () => {
    const peer = await openChatPeer(({ socket }) => socket.write(response('{"success":true}')));
    const { code, stdout } = await calibrate(['--max-turns', '200'], peer.baseUrl);
    expect(code).toBe(4);
    expect(stdout).toContain('unknown: no turn was ok');
    expect(stdout).toContain('contract_broken: data is missing');
    expect(peer.messages.length).toBeLessThanOrEqual(200);
  });

  test('ends with the cause if the target refuses the key or cannot be reached', async () => {
    const peer = await openChatPeer(({ socket }) =>
      socket.write(response(`{"error":"${key}"}`, { status: '401 Unauthorized' })),
    );
    const refused = await calibrate([], peer.baseUrl);
    const away = await calibrate([], `http://127.0.0.1:${String(await unusedPort())}`);
    expect([refused.code, refused.stdout, away.code, away.stdout]).toEqual([3, '', 3, '']);
    expect(refused.stderr).toContain('The service rejected the API key or token');
    expect(refused.stderr).not.toContain(key);
    expect(away.stderr).toContain('connection refused');
    expect(peer.messages.length).toBeLessThanOrEqual(2);
  });

  test('reports a target that closes its connections', async () => {
    const peer = await openChatPeer(({ socket }) => socket.end());
    const { code, stdout } = await calibrate([], peer.baseUrl);
    expect([code, stdout.replace(/\s+/g, ' ')]).toEqual([
      4,
      expect.stringContaining('The target closed its connections'),
    ]);
  });

  test('ends at once when it is stopped, and shows nothing', async () => {
    const peer = await openChatPeer((arrival) => {
      arrival.socket.write(replyTo(arrival));
      if (peer.messages.length === 20) child.kill('SIGINT');
    });
    const words = ['calibrate', '--base-url', peer.baseUrl, '--agent-id', 'a', '--step-duration', '10m'];
    const { child, ended } = startCommand(words, { env: { ...calibrated, CHAT_LOAD_API_KEY: key } });
    const { code, stdout, stderr } = await ended;
    expect([code, stdout, stderr]).toEqual([130, '', 'Stopping: nothing is stored.\n']);
  });

  test.each([
    ['openai-chat', []],
    ['openai-responses', ['--stream']],
    ['anthropic-messages', ['--stream']],
    ['ai-sdk', []],
  ] as const)('speaks %s %j', async (protocol, more) => {
    const { baseUrl } = await openService({ latency: '0ms' });
    const at = protocol === 'ai-sdk' ? baseUrl : `${baseUrl}/v1`;
    const words = ['--protocol', protocol, ...more, '--step-duration', '200ms', '--max-connections', '2', '--json'];
    const ended = await performCommand(
      ['calibrate', ...words, '--base-url', at, '--agent-id', embeddedDefaults.agentId],
      { ...calibrated, CHAT_LOAD_API_KEY: embeddedDefaults.apiKey },
    );
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    const { steps, warnings } = documentOf(ended).target;
    expect(steps.map(({ ok, example }) => [ok > 0, example])).toEqual([
      [true, null],
      [true, null],
    ]);
    expect(warnings).toEqual([]);
  });

  test('sends the first turn of a protocol of the scenario', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        bodies.push(body);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"answer":"Yes."}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const protocol = "{ message: { path: '/chat', body: ({ message }) => ({ message }) }, reply: { text: 'answer' } }";
    const path = await writeScenario(
      await makeFolder(),
      `{ name: 'own', messages: ['Hi', 'Bye'], turns: 2, sessions: 5, target: { baseUrl: '${baseUrl}', agentId: 'a', auth: 'none', protocol: ${protocol} } }`,
    );
    const words = ['calibrate', path, '--step-duration', '100ms', '--max-connections', '2', '--json'];
    const ended = await performCommand(words, calibrated);
    expect([ended.code, ended.stderr, new Set(bodies)]).toEqual([0, '', new Set(['{"message":"Hi"}'])]);
    expect(documentOf(ended).target.steps.map(({ ok }) => ok > 0)).toEqual([true, true]);
  });

  test.each([
    ["poll: { url: 'status_url' }", 'its replies follow the responses'],
    ["auth: { sigv4: { service: 'bedrock', region: 'eu-west-1' } }", 'signed'],
  ])('is not available for turns that are not one known request: %s', async (part, words) => {
    const isPoll = part.startsWith('poll');
    const protocol = isPoll
      ? `{ message: { path: '/chat', body: ({ message }) => ({ message }) }, ${part}, reply: { text: 'answer' } }`
      : "'bedrock-converse'";
    const path = await writeScenario(
      await makeFolder(),
      `{ name: 'own', messages: ['Hi'], sessions: 1, target: { baseUrl: 'http://127.0.0.1:9', agentId: 'a', ${isPoll ? "auth: 'none'" : part}, protocol: ${protocol} } }`,
    );
    const credentials = { AWS_ACCESS_KEY_ID: 'AKIA0000000000000000', AWS_SECRET_ACCESS_KEY: 'secret' };
    const { code, stderr } = await performCommand(['calibrate', path], { ...calibrated, ...credentials });
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    expect(stderr).toContain('chat-load capacity');
  });

  test.each([
    [['--max-connections', '0'], '--max-connections takes a whole number from 1 to 10000'],
    [['--step-duration', 'soon'], "--step-duration takes a duration from 100ms to 1h, not 'soon'"],
    [['nowhere.ts'], 'No scenario file at nowhere.ts'],
    [['--base-url', 'http://127.0.0.1:9'], 'target.agentId: is required with a base URL: set --agent-id (--model '],
    [['--url', 'http://h.invalid/v1', '--model', 'm'], '--allow-host h.invalid'],
  ])('refuses %j before anything is sent', async (words, message) => {
    const { code, stdout, stderr } = await performCommand(['calibrate', ...words], { CHAT_LOAD_API_KEY: key });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});

test('chat-load probe names its successor', async () => {
  const { code, stderr } = await runCommand(['probe', '--url', 'http://127.0.0.1:9/v1', '--model', 'm']);
  expect([code, stderr]).toEqual([
    2,
    "error unknown command 'probe': chat-load calibrate measures what this machine can send, and a target can take.\nSee chat-load --help.\n",
  ]);
});
