import { describe, expect, test } from 'vitest';
import { unusedPort } from '../../test/support/http-peer.ts';
import { startAgent } from './start-agent.ts';

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
