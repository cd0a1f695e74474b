import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import type { ProbeDocument } from '../../src/probe/build-probe.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, runCommand, startCommand, writeScenario, type Ended } from '../support/command.ts';
import { hurried, performHurried } from '../support/hurried.ts';
import { response, unusedPort } from '../support/http-peer.ts';
import { oneAtATime, openChatPeer, replyTo } from '../support/probe-peer.ts';
import { openService } from '../support/reference-client.ts';
import { isWhole } from '../support/trials.ts';

const key = 'sk-probe-secret';

const probe = (words: readonly string[], baseUrl: string, env: Record<string, string> = hurried): Promise<Ended> =>
  runCommand(['probe', ...words, '--base-url', baseUrl, '--agent-id', 'a'], {
    env: { ...env, CHAT_LOAD_API_KEY: key },
  });

const probeHere = (words: readonly string[], baseUrl: string): Promise<Ended> =>
  performHurried(['probe', ...words, '--base-url', baseUrl, '--agent-id', 'a'], { CHAT_LOAD_API_KEY: key });

const documentOf = ({ stdout }: Ended): ProbeDocument => JSON.parse(stdout) as ProbeDocument;

describe('chat-load probe', () => {
  test('finds the ceiling of a target that answers one turn at a time, and reports that the target is the limit', async () => {
    const peer = await openChatPeer(oneAtATime(10));
    const given = `${peer.baseUrl}/`;
    const ended = await probe(['--json', '--step-duration', '500ms'], given, isWhole ? {} : hurried);
    const { ceiling, generator, limit, suggestion, steps, turnsSent, end, scenario, target } = documentOf(ended);
    expect([ended.code, ended.stderr, scenario, target.baseUrl]).toEqual([0, '', null, given]);
    expect([limit, ceiling?.reached, ceiling?.reason]).toEqual(['target', true, 'no_growth']);
    // On a busy machine, the noise of a step may look like growth up to the maximum number of connections.
    expect(['no_growth', 'most_connections']).toContain(end);
    // A timer never fires early: at most 100 per second, and slightly fewer on a machine under load.
    expect(ceiling?.turnsPerSecond).toBeLessThanOrEqual(105);
    expect(ceiling?.turnsPerSecond).toBeGreaterThan(30);
    expect(generator?.turnsPerSecond).toBeGreaterThan(ceiling?.turnsPerSecond ?? Infinity);
    expect(suggestion?.concurrency).toBeLessThanOrEqual(4);
    expect(suggestion?.turnsPerSecond).toBeCloseTo((ceiling?.turnsPerSecond ?? 0) * 0.75);
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
    const { code, stdout } = await probe(words, peer.baseUrl);
    expect([code, peer.messages[0]?.text.includes('Hello from the file')]).toEqual([0, true]);
    expect(stdout).toMatch(/can answer at least [\d.]+ turns\/s: still growing at 3 connections/);
    expect(stdout).toMatch(/calm needs up to [\d.]+ turns\/s/);
    expect(stdout).toContain('Neither is the limit');
    expect(stdout).toContain(`${peer.baseUrl}, agent a`);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('reports why nothing was measured if no turn succeeds', async () => {
    const peer = await openChatPeer(({ socket }) => socket.write(response('{"success":true}')));
    const { code, stdout } = await probeHere(['--max-turns', '200'], peer.baseUrl);
    expect(code).toBe(4);
    expect(stdout).toContain('unknown: no turn was ok');
    expect(stdout).toContain('contract_broken: data is missing');
  });

  test('ends with the cause if the target refuses the key or cannot be reached', async () => {
    const peer = await openChatPeer(({ socket }) =>
      socket.write(response(`{"error":"${key}"}`, { status: '401 Unauthorized' })),
    );
    const refused = await probeHere([], peer.baseUrl);
    const away = await probeHere([], `http://127.0.0.1:${String(await unusedPort())}`);
    expect([refused.code, refused.stdout, away.code, away.stdout]).toEqual([3, '', 3, '']);
    expect(refused.stderr).toContain('The service rejected the API key or token');
    expect(refused.stderr).not.toContain(key);
    expect(away.stderr).toContain('connection refused');
    expect(peer.messages.length).toBeLessThanOrEqual(2);
  });

  test('names the limiting side of the embedded service, unless nothing was reached', async () => {
    const ended = await performHurried(['probe', '--json', '--step-duration', '100ms', '--max-connections', '2']);
    const { limit, target, ceiling, steps } = documentOf(ended);
    expect([ended.code, target.embedded]).toEqual([0, true]);
    expect(ceiling).not.toBeNull();
    // On a busy machine the turns that may be sent can be spent before the rates stop growing.
    expect(ceiling?.reached === true ? ['target', 'generator'] : ['generator', 'unknown']).toContain(limit);
    expect(steps.every(({ autocannon, chatLoad }) => (autocannon?.ok ?? 0) > 0 && (chatLoad?.ok ?? 0) > 0)).toBe(true);
  });

  test('shows its findings so far when it is stopped', async () => {
    const peer = await openChatPeer((arrival) => {
      arrival.socket.write(replyTo(arrival));
      if (peer.messages.length === 20) child.kill('SIGINT');
    });
    const words = ['probe', '--base-url', peer.baseUrl, '--agent-id', 'a', '--step-duration', '10m'];
    const { child, ended } = startCommand(words, { env: { ...hurried, CHAT_LOAD_API_KEY: key } });
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([130, 'Stopping: the measurements so far are shown.\n']);
    expect(stdout).toMatch(/^probe: stopped after/);
    expect(stdout.replace(/\s+/g, ' ')).toMatch(
      /can answer at least [\d.,]+ turns\/s: at 1 connection, when the probe was stopped/,
    );
  });

  test.each(['openai-chat', 'openai-responses', 'anthropic-messages'])(
    'speaks %s, and reports the differences from a run',
    async (protocol) => {
      const { baseUrl } = await openService({ latency: '0ms' });
      const words = [
        '--protocol',
        protocol,
        '--stream',
        '--step-duration',
        '200ms',
        '--max-connections',
        '2',
        '--json',
      ];
      const ended = await performHurried(
        ['probe', ...words, '--base-url', `${baseUrl}/v1`, '--agent-id', embeddedDefaults.agentId],
        { CHAT_LOAD_API_KEY: embeddedDefaults.apiKey },
      );
      const { ceiling, generator, steps, warnings } = documentOf(ended);
      expect([ended.code, ended.stderr]).toEqual([0, '']);
      expect(steps.every(({ autocannon, chatLoad }) => (autocannon?.ok ?? 0) > 0 && (chatLoad?.ok ?? 0) > 0)).toBe(
        true,
      );
      expect(steps.flatMap(({ autocannon, chatLoad }) => [autocannon?.example, chatLoad?.example])).toEqual(
        steps.flatMap(() => [null, null]),
      );
      expect([ceiling?.turnsPerSecond, generator?.turnsPerSecond]).toEqual([expect.any(Number), expect.any(Number)]);
      const codes = warnings.map(({ code }) => code);
      expect(codes).toContain('probed_not_streamed');
      expect(codes.includes('probed_without_history')).toBe(protocol !== 'openai-responses');
    },
  );

  test('uses a protocol of the scenario without autocannon, and reports it', async () => {
    let messages = 0;
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        messages++;
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"answer":"Yes."}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const protocol = "{ message: { path: '/chat', body: ({ message }) => ({ message }) }, reply: { text: 'answer' } }";
    const path = await writeScenario(
      await makeFolder(),
      `{ name: 'own', messages: ['Hi'], turns: 2, sessions: 5, target: { baseUrl: '${baseUrl}', agentId: 'a', auth: 'none', protocol: ${protocol} } }`,
    );
    const ended = await performHurried(['probe', path, '--step-duration', '100ms', '--max-connections', '2', '--json']);
    const { generator, steps, warnings } = documentOf(ended);
    expect([ended.code, ended.stderr, messages > 0]).toEqual([0, '', true]);
    expect(steps.map(({ autocannon, chatLoad }) => [autocannon, (chatLoad?.ok ?? 0) > 0])).toEqual(
      steps.map(() => [null, true]),
    );
    expect(generator?.turnsPerSecond).toBeGreaterThan(0);
    expect(warnings.map(({ code }) => code)).toContain('probed_by_chat_load_alone');
  });

  test.each([
    [['--max-connections', '0'], '--max-connections takes a whole number from 1 to 10000'],
    [['--max-turns', '1'], '--max-turns must be at least 2'],
    [['--step-duration', 'soon'], "--step-duration takes a duration from 100ms to 1h, not 'soon'"],
    [['nowhere.ts'], 'No scenario file at nowhere.ts'],
    [['--base-url', 'http://127.0.0.1:9'], 'target.agentId: is required with a base URL: set --agent-id (--model '],
    [['--url', 'http://h.invalid/v1', '--model', 'm'], '--allow-host h.invalid'],
  ])('refuses %j before anything is sent', async (words, message) => {
    const { code, stdout, stderr } = await performCommand(['probe', ...words], { CHAT_LOAD_API_KEY: key });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
