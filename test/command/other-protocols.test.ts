import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Result } from '../../src/result/result.ts';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, readResult, writeScenario } from '../support/command.ts';

interface Served {
  url: string;
  asked: string[];
}

/** A service that only has chat completions; `keyed`: it checks keys before paths. */
async function serveCompletions({ keyed = false } = {}): Promise<Served> {
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    asked.push(request.url ?? '');
    request.resume();
    const isThere = request.url === '/v1/chat/completions';
    const status = keyed ? 401 : isThere ? 422 : 404;
    const body = isThere ? { error: { message: 'messages: field required' } } : { detail: 'Not Found' };
    answer.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, asked };
}

async function run(
  words: readonly string[],
  more = '',
): Promise<{ result: Result; code: number | null; stderr: string }> {
  const folder = await makeFolder();
  const path = await writeScenario(folder, `{ name: 'r', sessions: 20, messages: ['Hi'], ${more} }`);
  const env = { CHAT_LOAD_API_KEY: 'sk-key-of-tests', CHAT_LOAD_AGENT_ID: 'm' };
  const { code, stderr } = await performCommand(['run', path, '--out', folder, ...words], env);
  return { result: await readResult(folder), code, stderr };
}

const words = 'POST /v1/chat/completions responds there: try --protocol openai-chat.';

describe('a run whose target speaks another protocol', () => {
  test('names it after nine requests that are not counted', async () => {
    const { url, asked } = await serveCompletions();
    const { result, code, stderr } = await run(['--base-url', url]);
    expect([code, result.run.stop?.kind]).toEqual([3, 'target_unfit']);
    expect(result.run.stop?.remedy).toMatch(/chat-load try/);
    expect(result.run.stop?.remedy?.endsWith(words)).toBe(true);
    expect(stderr).toContain(words);
    const ofRun = asked.filter((path) => path === '/api/developer/chat/sessions').length;
    expect(asked.length - ofRun).toBe(9);
    expect(result.outcomes.createAttempts['not_found']).toBe(ofRun);
  });

  test('is named if several processes send', async () => {
    const { url } = await serveCompletions();
    const { result } = await run(['--base-url', url, '--cores', '2']);
    expect(result.run.stop?.remedy?.endsWith(words)).toBe(true);
  });

  test('sends no further request if the key is rejected', async () => {
    const { url, asked } = await serveCompletions({ keyed: true });
    const { result } = await run(['--base-url', url]);
    expect(result.run.stop?.kind).toBe('circuit');
    expect(new Set(asked)).toEqual(new Set(['/api/developer/chat/sessions']));
  });

  test('sends no further request to the embedded service', async () => {
    const { result } = await run([], "target: { createSession: { path: '/nowhere' } }");
    expect(result.run.stop?.kind).toBe('target_unfit');
    expect(result.run.stop?.remedy).not.toContain('answers there');
  });
});
