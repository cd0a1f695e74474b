import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CheckDocument } from '../../src/conformance/check-document.ts';
import { ruleSet } from '../../src/conformance/chat-messaging/rules.ts';
import { embeddedDefaults } from '../../src/scenario/embedded.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, runCommand, writeScenario, type Ended } from '../support/command.ts';
import { openPeer, unusedPort } from '../support/http-peer.ts';
import { openTcpLine } from '../support/tcp-line.ts';
import { openSpoiled } from '../support/spoiling-service.ts';

const { rules } = ruleSet;

const { agentId, chatOffAgentId, apiKey, wrongTypeApiKey } = embeddedDefaults;
const env = { CHAT_LOAD_API_KEY: apiKey, CHAT_LOAD_WRONG_KIND_KEY: wrongTypeApiKey };

const check = (words: readonly string[], around: { env?: Record<string, string> } = { env }): Promise<Ended> =>
  performCommand(['check', ...words], around.env);

const against = (baseUrl: string, ...words: string[]): Promise<Ended> =>
  check([...words, '--base-url', baseUrl, '--agent-id', agentId, '--pause', '0s']);

const needs = ['--chat-off-agent', chatOffAgentId, '--variable', 'customerName=Ada-7391'];

const documentOf = ({ stdout }: Ended): CheckDocument => JSON.parse(stdout) as CheckDocument;

const idsOf = (ended: Ended, verdict: string): string[] =>
  documentOf(ended)
    .rules.filter((rule) => rule.verdict === verdict)
    .map(({ id }) => id);

const widest = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

describe('chat-load check', () => {
  test('finds that the embedded service complies with every rule, and tests all rules without options', async () => {
    const shown = await runCommand(['check']);
    const asJson = await check(['--json'], { env: {} });
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toContain(`${String(rules.length)} of ${String(rules.length)} rules passed, 0 failed`);
    expect(widest(shown.stdout)).toBeLessThanOrEqual(80);
    const { kind, schemaVersion, target, counts, scenario } = documentOf(asJson);
    expect([asJson.code, kind, schemaVersion, scenario]).toEqual([0, 'chat-load/check', 1, null]);
    expect(target).toMatchObject({ embedded: true, agentId });
    expect(counts).toMatchObject({ tried: rules.length, passed: rules.length, failed: 0, skipped: 0 });
  });

  test('fails a service that a request ends, instead of judging its silence by the other rules', async () => {
    const line: { close?: () => void } = {};
    let messages = 0;
    const service = await openSpoiled({
      onWay: ({ fields }) => {
        if ('message' in fields && ++messages === 5) line.close?.();
        return undefined;
      },
    });
    const opened = await openTcpLine(Number(new URL(service).port));
    line.close = () => opened.close();
    onTestFinished(() => opened.close());
    const ended = await against(`http://127.0.0.1:${String(opened.port)}`, ...needs, '--json');
    expect(ended.code).toBe(1);
    const { rules: found } = documentOf(ended);
    const at = found.findIndex(({ seen }) => seen.startsWith('the service refuses connections'));
    expect(found[at]?.verdict).toBe('fail');
    expect(found[at]?.seen).toMatch(/ since rule \S+$/);
    expect(found.slice(at + 1).map(({ verdict }) => verdict)).toEqual(found.slice(at + 1).map(() => 'skipped'));
    expect(found.slice(at + 1).length).toBeGreaterThan(0);
  });

  test('reports the rule that a service breaks, and writes it for CI', async () => {
    const baseUrl = await openSpoiled({
      onReturn: (back, { fields }) => {
        if (!('message' in fields) && back.status === 400) back.body = { error: 'No <message> & "nothing"\u0007' };
      },
    });
    const file = join(await makeFolder(), 'reports', 'check.xml');
    const shown = await against(baseUrl, ...needs, '--report', file);
    const asJson = await against(baseUrl, ...needs, '--json');
    expect([shown.code, shown.stderr, asJson.code]).toEqual([1, '', 1]);
    expect(idsOf(asJson, 'fail')).toEqual(['message-missing']);
    expect(shown.stdout.match(/^FAIL +/gm)).toHaveLength(1);
    expect(shown.stdout).toMatch(/^FAIL +message-missing/m);
    expect(shown.stdout).toContain('A message whose message is missing is refused. (API\n');
    expect(shown.stdout).toContain('1 failed');
    const xml = await readFile(file, 'utf8');
    expect(xml).toContain(`tests="${String(rules.length)}" failures="1" errors="0" skipped="2"`);
    expect(xml).toMatch(/<testcase [^>]*name="message-missing"><failure message="[^"]*No &lt;message&gt; &amp; &quot;/);
    expect(xml.match(/<testcase /g)).toHaveLength(rules.length);
    expect(`${xml}${shown.stdout}`).not.toContain('\u0007');
  });

  test('warns, and does not fail, if the description is silent', async () => {
    const baseUrl = await openSpoiled({
      onReturn: (back) => void (back.contentType = back.status === 200 ? 'text/plain' : back.contentType),
    });
    const ended = await against(baseUrl);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/^warning +content-type/m);
    expect(ended.stdout).toMatch(/^RECOMMENDED +broken rule\ncontent-type /m);
    expect(ended.stdout).toMatch(/^PASSED, but 1 recommended rule broken$/m);
  });

  test('does not fail a service whose replies have only the documented fields', async () => {
    const baseUrl = await openSpoiled({
      onReturn: ({ body }) => {
        const { data } = body as { data?: Record<string, unknown> };
        for (const name of ['conversation', 'cost']) Reflect.deleteProperty(data ?? {}, name);
      },
    });
    const ended = await against(baseUrl, ...needs, '--json');
    expect([ended.code, idsOf(ended, 'fail'), idsOf(ended, 'warn')]).toEqual([0, [], ['additive']]);
  });

  test('names the target as given', async () => {
    const baseUrl = await openSpoiled({});
    for (const given of [baseUrl, `${baseUrl}/`]) {
      const ended = await against(given, '--only', 'creation', '--json');
      expect([ended.code, documentOf(ended).target.baseUrl]).toEqual([0, given]);
    }
  });

  test('reports at once a malformed reply that a run could not read either', async () => {
    const peer = await openPeer(
      ({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n'),
    );
    const ended = await against(`http://127.0.0.1:${String(peer.port)}`, '--json');
    const { rules: found, remedy } = documentOf(ended);
    expect(found[0]).toMatchObject({ id: 'creation', verdict: 'fail' });
    expect(found[0]?.seen).toBe('no complete response: the transfer coding is not supported: "gzip"');
    expect(remedy).toContain('lead to the chat API');
  });

  test('reports for every untestable rule its requirements', async () => {
    const baseUrl = await openSpoiled({});
    const ended = await check(['--base-url', baseUrl, '--agent-id', agentId, '--pause', '0s', '--json'], {
      env: { CHAT_LOAD_API_KEY: apiKey },
    });
    const untried = documentOf(ended).rules.filter(({ verdict }) => verdict === 'skipped');
    expect([ended.code, documentOf(ended).counts.failed]).toEqual([0, 0]);
    expect(untried.map(({ id, seen }) => [id, seen])).toEqual([
      ['variables-used', expect.stringContaining('--variable')],
      ['variables-per-message', expect.stringContaining('--variable')],
      ['chat-off', expect.stringContaining('--chat-off-agent')],
      ['key-wrong-kind', expect.stringContaining('CHAT_LOAD_WRONG_KIND_KEY')],
      ['error-internal', expect.stringContaining('cannot be provoked')],
      ['error-provider', expect.stringContaining('cannot be provoked')],
    ]);
  });

  test('fails if nothing could be checked', async () => {
    const ended = await against(await openSpoiled({}), '--only', 'chat-off');
    expect(ended.code).toBe(4);
    expect(ended.stdout).toContain('0 of 1 rule passed, 0 failed, 1 skipped');
  });

  test('never shows a key, whatever the service echoes', async () => {
    const baseUrl = await openSpoiled({
      onReturn: (back, { key }) => {
        const body = back.body as { data?: Record<string, unknown> };
        const echo = `${apiKey} ${key} ${wrongTypeApiKey}`;
        if (back.status === 400) back.body = { error: `No: ${echo}` };
        if (back.status === 403) back.status = 500;
        if (body.data !== undefined) body.data = { ...body.data, createdAt: echo, [apiKey]: 1 };
      },
    });
    const file = join(await makeFolder(), 'check.xml');
    const ended = [await against(baseUrl, ...needs, '--report', file), await against(baseUrl, ...needs, '--json')];
    const everything = ended.map(({ stdout, stderr }) => stdout + stderr).join('') + (await readFile(file, 'utf8'));
    expect(everything).toContain('[API key]');
    expect(everything).not.toContain(apiKey);
    expect(everything).not.toContain(wrongTypeApiKey);
  });

  test('creates sessions in the same way as the scenario', async () => {
    const baseUrl = await openSpoiled({
      onWay: ({ isMessage, fields }) => {
        if (!isMessage) fields['agentId'] = (fields['about'] as { assistant: string }).assistant;
        return undefined;
      },
      onReturn: (back, { isMessage }) => {
        if (!isMessage) back.body = { conversation: (back.body as { data: unknown }).data };
      },
    });
    const path = await writeScenario(
      await makeFolder(),
      "{ name: 'ours', sessions: 1, messages: ['Hi'], variableValues: { orderNumber: 'ORD-{{session.number}}' }, target: { createSession: { body: { about: { assistant: '{{agentId}}' } }, sessionIdFrom: 'conversation.sessionId' } } }",
    );
    const ended = await against(baseUrl, path, '--json', '--only', 'creation', '--only', 'message-status');
    expect([ended.code, ended.stderr]).toEqual([0, '']);
    const { scenario, rules: found } = documentOf(ended);
    expect([scenario, found.map(({ verdict }) => verdict)]).toEqual(['ours', ['pass', 'pass']]);
    expect(found[1]?.seen).toContain('orderNumber = ORD-1');
  });

  test('tests one rule with only the required exchanges, one after the other, with the pause between them', async () => {
    const arrivals: number[] = [];
    let underWay = 0;
    let max = 0;
    const baseUrl = await openSpoiled({
      onWay: () => {
        arrivals.push(performance.now());
        max = Math.max(max, ++underWay);
        return undefined;
      },
      onReturn: () => {
        underWay--;
      },
    });
    const words = ['--base-url', baseUrl, '--agent-id', agentId, '--only', 'memory', '--pause', '80ms', '--json'];
    const ended = await check(words);
    expect([documentOf(ended).rules.map(({ id }) => id), documentOf(ended).exchanges]).toEqual([['memory'], 3]);
    const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
    // Arrivals are measured; their gaps can be slightly shorter than the gaps between sends.
    expect([arrivals.length, max, gaps.every((gap) => gap > 40)]).toEqual([3, 1, true]);
  });

  test('uses the given messages to test the memory of the service', async () => {
    const said: unknown[] = [];
    const baseUrl = await openSpoiled({
      onWay: ({ isMessage, fields }) => {
        if (isMessage) said.push(fields['message']);
        return undefined;
      },
    });
    const words = ['--remember', 'Notiz: {{code}}', '--recall', 'What did I tell you first?', '--only', 'memory'];
    const ended = await against(baseUrl, ...words, '--json');
    expect([idsOf(ended, 'pass'), said[1]]).toEqual([['memory'], 'What did I tell you first?']);
    expect(said[0]).toMatch(/^Notiz: QX\d{8}\n/);
  });

  test('ends with the reason if the target refuses the key or is unreachable', async () => {
    const words = ['--base-url', await openSpoiled({}), '--agent-id', agentId];
    const refused = await check(words, { env: { CHAT_LOAD_API_KEY: 'sk-other' } });
    const keyless = await check(words, { env: { CHAT_LOAD_API_KEY: '' } });
    const away = await against(`http://127.0.0.1:${String(await unusedPort())}`);
    expect([refused.code, refused.stdout, away.code, away.stdout]).toEqual([3, '', 3, '']);
    expect(refused.stderr).toContain('The service rejected the API key or token (401)');
    expect(keyless.stderr).toContain('The service requires an API key or token, but none was sent (401)');
    expect(refused.stderr).not.toContain('sk-other');
    expect(away.stderr).toContain('connection refused');
  });

  test.each(['openai-chat', 'openai-responses', 'anthropic-messages'])(
    'finds that the embedded service keeps every rule of %s, within 80 columns, and prints it again',
    async (protocol) => {
      const shown = await check(['--protocol', protocol], { env: {} });
      const asJson = await check(['--protocol', protocol, '--json'], { env: {} });
      expect([shown.code, shown.stderr, asJson.code]).toEqual([0, '', 0]);
      expect(shown.stdout).toContain(`embedded reference service, ${protocol}, model ${agentId}`);
      expect(shown.stdout).toMatch(/^\d+ of \d+ rules passed, 0 failed.*\nPASSED/m);
      expect(widest(shown.stdout)).toBeLessThanOrEqual(80);
      const found = documentOf(asJson);
      expect(found).toMatchObject({ protocol: { name: protocol }, counts: { failed: 0, skipped: 0 } });
      // On a busy machine this process reads late, so that the pieces of a reply may share a read.
      const notPassed = found.rules.filter(({ verdict }) => verdict !== 'pass').map(({ id }) => id);
      expect(['', 'stream-unbuffered']).toContain(notPassed.join());
      const file = join(await makeFolder(), 'check.json');
      await writeFile(file, asJson.stdout);
      const again = await performCommand(['report', file]);
      const rowsOf = (text: string): string[] => text.split('\n').filter((line) => /^(pass|warn)/.test(line));
      expect(again.stdout).toContain(`${protocol}, model ${agentId}`);
      expect(rowsOf(again.stdout)).toHaveLength(found.rules.length);
    },
  );

  test('finds the protocol of a model, and needs no key on this machine', async () => {
    const peer = await openPeer(({ socket, text }) => {
      const isChat = text.startsWith('POST /v1/chat/completions');
      const body = isChat ? '{"error":{"message":"messages is required"}}' : '{"detail":"Not Found"}';
      const status = isChat ? '400 Bad Request' : '404 Not Found';
      socket.write(
        `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`,
      );
    });
    const url = `http://127.0.0.1:${String(peer.port)}/v1`;
    const { code, stderr, stdout } = await check(['--url', url, '--model', 'm', '--pause', '0s'], { env: {} });
    expect(stderr).toContain(`note: the protocol is openai-chat, because ${url}/chat/completions responds.`);
    expect(stderr).toContain('no key is sent to this machine');
    expect([code, stdout]).toEqual([expect.any(Number), expect.stringContaining('openai-chat, model m')]);
  });

  test('does not require streams of a service whose scenario does not request them', async () => {
    const server = createServer((request, answer) => {
      request.resume().on('end', () => {
        const message = { role: 'assistant', content: 'Hi.' };
        const choices = [{ index: 0, message, finish_reason: 'stop' }];
        answer.writeHead(200, { 'content-type': 'application/json' });
        answer.end(JSON.stringify({ id: randomUUID(), object: 'chat.completion', created: 1, model: 'm', choices }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
    const words = ['--url', url, '--model', 'm', '--protocol', 'openai-chat', '--pause', '0s', '--json'];
    const standing = async (more: string[]): Promise<unknown> =>
      documentOf(await check([...words, ...more], { env: {} })).rules.find(({ id }) => id === 'stream-type');
    expect(await standing([])).toMatchObject({ verdict: 'warn', standing: 'recommended' });
    expect(await standing(['--stream'])).toMatchObject({ verdict: 'fail', standing: 'required' });
  });

  test('uses the protocol of a scenario, and names the source of a broken rule', async () => {
    const folder = await makeFolder();
    const peer = await openPeer(({ socket }) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'));
    const target = `{ baseUrl: 'http://127.0.0.1:${String(peer.port)}', agentId: 'm', protocol: 'openai-chat' }`;
    const path = await writeScenario(folder, `{ name: 'ours', sessions: 1, messages: ['Hi'], target: ${target} }`);
    const file = join(folder, 'check.xml');
    const ended = await check([path, '--pause', '0s', '--only', 'content', '--report', file]);
    expect([ended.code, ended.stderr]).toEqual([1, '']);
    expect(ended.stdout.replace(/\s+/g, ' ')).toContain('(OpenAI API reference: The chat completion object.)');
    expect(await readFile(file, 'utf8')).toContain(
      'OpenAI API reference: The chat completion object: The generated content',
    );
  });

  test('has no rules for a protocol that a scenario defines', async () => {
    const path = await writeScenario(
      await makeFolder(),
      "{ name: 'ours', sessions: 1, messages: ['Hi'], target: { baseUrl: 'http://127.0.0.1:9', agentId: 'a', protocol: { name: 'bot', message: { path: '/chat', body: ({ message }) => ({ text: message }) }, reply: { text: 'answer' } } } }",
    );
    const { code, stdout, stderr } = await check([path]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('check has no rules for the protocol bot');
  });

  test.each<[string[], string, Record<string, string>?]>([
    [['--only', 'memori'], "unknown rule 'memori': did you mean 'memory'?"],
    [['--variable', '=x'], '--variable takes name or name=value'],
    [['--remember', 'Keep this'], '--remember does not contain {{code}}'],
    [['--pause', 'long'], "--pause takes a duration from 0s to 1m, not 'long'"],
    [['--base-url', 'http://127.0.0.1:9'], 'target.agentId: is required with a base URL'],
    [['--protocol', 'openai-chats'], "unknown protocol 'openai-chats': did you mean 'openai-chat'?"],
    [['--protocol', 'openai-chat', '--only', 'sequence'], "unknown rule 'sequence'"],
    [['--protocol', 'openai-chat', '--variable', 'name'], '--variable is for chat-messaging'],
    [['nowhere.ts'], 'No scenario file at nowhere.ts'],
    [[], 'CHAT_LOAD_WRONG_KIND_KEY contains a character', { CHAT_LOAD_WRONG_KIND_KEY: 'two\nlines' }],
  ])('refuses %j before anything is sent: %s', async (words, message, more = {}) => {
    const { code, stdout, stderr } = await check(words, { env: { ...env, ...more } });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('two');
  });
});
