import { afterEach, describe, expect, test, vi } from 'vitest';
import { unusedPort } from '../../test/support/http-peer.ts';
import { startAgent } from './start-agent.ts';
import { patient } from '../../test/support/deadline.ts';

const host = '127.0.0.1';
const agent = (code: string, port: number, environment = {}): Parameters<typeof startAgent>[0] => ({
  command: [process.execPath, '-e', code],
  folder: '.',
  host,
  port,
  environment,
});

const server =
  "require('node:http').createServer((_, r) => r.end(process.env.MODEL)).listen(process.env.PORT, '127.0.0.1')";

afterEach(() => vi.unstubAllEnvs());

describe('an agent that a scenario starts', () => {
  test('listens on the port when it is ready, with the variables, and is gone when it is closed', async () => {
    const port = await unusedPort();
    const started = await startAgent(agent(server, port, { MODEL: 'http://127.0.0.1:1/v1' }));
    const url = `http://${host}:${String(port)}`;
    expect(await (await fetch(url)).text()).toBe('http://127.0.0.1:1/v1');
    await started.close();
    await expect(fetch(url)).rejects.toThrow();
  });

  test('ends with its child processes', async () => {
    const port = await unusedPort();
    const parent = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(server)}])`;
    const started = await startAgent(agent(parent, port));
    await started.close();
    await expect(fetch(`http://${host}:${String(port)}`)).rejects.toThrow();
  });

  /** An agent whose child process listens, ignores SIGTERM, and ends the agent when it receives a request. */
  const child = `process.on('SIGTERM', () => undefined);
    require('node:http').createServer(() => process.kill(process.ppid, 'SIGKILL')).listen(process.env.PORT, '127.0.0.1')`;
  const parent = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}]);
    process.on('SIGTERM', () => process.exit())`;

  test('ends with child processes that ignore SIGTERM', async () => {
    const port = await unusedPort();
    const started = await startAgent(agent(parent, port));
    await started.close();
    await expect(fetch(`http://${host}:${String(port)}`)).rejects.toThrow();
  });

  test('leaves no child process behind when it ends by itself', async () => {
    const port = await unusedPort();
    const started = await startAgent(agent(parent, port));
    await expect(fetch(`http://${host}:${String(port)}`)).rejects.toThrow();
    await started.close();
    await expect(fetch(`http://${host}:${String(port)}`)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  test('is not waited for after a stop', async () => {
    const stop = AbortSignal.timeout(100);
    const started = startAgent({ ...agent('setInterval(() => undefined, 1000)', await unusedPort()), stop });
    await expect(started).rejects.toThrow('stopped before it listened');
  });

  test('reports no secret of the environment, no key of the run, and no control character', async () => {
    vi.stubEnv('SOME_API_KEY', 'key-of-the-agent');
    const code = `console.error('Error: \\x1b[31m' + process.env.SOME_API_KEY + ' key-of-the-run'); process.exit(1)`;
    const redact = (text: string): string => text.replaceAll('key-of-the-run', '[API key]');
    const thrown: unknown = await startAgent({ ...agent(code, await unusedPort()), redact }).catch(
      (error: unknown) => error,
    );
    const message = thrown instanceof Error ? thrown.message : '';
    expect(message).toContain('ended with code 1: Error:');
    expect(message.slice(message.indexOf('ended with'))).not.toMatch(/key-of-the|\p{Cc}/u);
  });

  test('that ends by itself after it listened is reported with its error, and not if it is closed', async () => {
    const ends: string[] = [];
    const onEnd = (why: string): void => void ends.push(why);
    const closed = await startAgent({ ...agent(server, await unusedPort()), onEnd });
    await closed.close();
    const failing = `require('node:http').createServer(() => { throw new Error('no memory') }).listen(process.env.PORT, '127.0.0.1')`;
    const port = await unusedPort();
    const started = await startAgent({ ...agent(failing, port), onEnd });
    await expect(fetch(`http://${host}:${String(port)}`)).rejects.toThrow();
    await vi.waitUntil(() => ends.length > 0, patient);
    await started.close();
    expect(ends).toEqual([expect.stringMatching(/ended with code 1: .*no memory/) as string]);
  });

  test('that ends at once is reported with its first error', async () => {
    const started = startAgent(agent("throw new Error('no model')", await unusedPort()));
    await expect(started).rejects.toThrow(/cannot start the agent .*ended with code 1.*no model/);
  });

  test('that does not exist is reported', async () => {
    const missing = { ...agent('', await unusedPort()), command: ['no-such-program-here'] };
    await expect(startAgent(missing)).rejects.toThrow("no program 'no-such-program-here' was found");
  });

  test('is not started when another process listens on its port', async () => {
    const port = await unusedPort();
    const first = await startAgent(agent(server, port));
    await expect(startAgent(agent(server, port))).rejects.toThrow('another process listens');
    await first.close();
  });
});
