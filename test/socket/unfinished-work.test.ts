import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { conduct } from '../support/conduct.ts';

/** A LangGraph server that never answers the runs of every third thread, which are busy from then on. */
async function openAgent(hangs: boolean) {
  const busy = new Set<string>();
  const paths: string[] = [];
  let threads = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { url = '' } = request;
      paths.push(url);
      const answer = (value: unknown): void => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      };
      if (url === '/threads') return answer({ thread_id: `t${String(++threads)}` });
      if (url === '/threads/search') {
        const { status } = JSON.parse(body) as { status: string };
        expect(status).toBe('busy');
        const earlier = { thread_id: 'of others', created_at: '2020-01-01T00:00:00Z' };
        const created = new Date().toISOString();
        return answer([earlier, ...[...busy].map((thread_id) => ({ thread_id, created_at: created }))]);
      }
      const [, thread = ''] = /^\/threads\/(t\d+)\/runs\/wait$/.exec(url) ?? [];
      if (hangs && Number(thread.slice(1)) % 3 === 0) return void busy.add(thread);
      const { input } = JSON.parse(body) as { input: { messages: { content: string }[] } };
      const reply = {
        type: 'ai',
        id: `m${String(paths.length)}`,
        content: `You said ${input.messages[0]?.content ?? ''}`,
      };
      answer({ messages: [{ type: 'human', content: 'x' }, reply] });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, busy, paths };
}

const scenario = {
  sessions: 12,
  turns: 2,
  load: { concurrency: 4 },
  timeout: '2s',
  retry: 'none',
  target: { protocol: 'langgraph', agentId: 'agent', auth: 'none' },
} satisfies Partial<Scenario>;

test('runs of a LangGraph server that nobody awaits are reported as it counts them', async () => {
  const { baseUrl, busy } = await openAgent(true);
  const { outcomes, warnings } = await conduct(scenario, { baseUrl });
  expect(outcomes.attempts.timed_out).toBe(4);
  expect(busy.size).toBe(4);
  const { message } = warnings.find(({ code }) => code === 'work_unfinished') ?? {};
  expect(message).toBe(
    'The service still worked on 4 conversations that began during the load when it had ended: unless other clients use it, nobody awaits these replies.',
  );
});

test('a server whose replies all arrived is not asked', async () => {
  const { baseUrl, paths } = await openAgent(false);
  const { outcomes, warnings } = await conduct(scenario, { baseUrl });
  expect(outcomes.attempts.ok).toBe(24);
  expect(paths).not.toContain('/threads/search');
  expect(warnings).toEqual([]);
});
