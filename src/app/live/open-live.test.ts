import { describe, expect, test } from 'vitest';
import { openLive } from './open-live.ts';

/** A replacement for the thread of the page; `tell` sends a message back. */
const threadOf = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';
      const tell = (message) => parentPort.postMessage(message);
      ${code}`)}`,
  );

const listening = `tell({ kind: 'listening', port: 1234 });`;

function open(code: string) {
  const notes: string[] = [];
  const presses: string[] = [];
  const [drain, cut] = [new AbortController(), new AbortController()];
  const live = openLive(
    { host: '127.0.0.1', port: 0 },
    {
      stops: { drain: drain.signal, cut: cut.signal },
      press: (button) => presses.push(button),
      note: (text) => notes.push(text),
    },
    threadOf(code),
  );
  return { live, notes, presses, drain };
}

describe('the thread of a live page', () => {
  test.each([
    [`throw new Error('no page is there');`, 'no page is there'],
    ['process.exit(7);', 'its thread ended (7)'],
  ])('that ends before it listens prevents the run: %s', async (code, reason) => {
    await expect(open(code).live).rejects.toMatchObject({
      code: 'environment',
      message: `The live page cannot start: ${reason}.`,
      hint: expect.stringContaining('--live') as string,
    });
  });

  test('that cannot listen names the flag to change', async () => {
    const refused = `tell({ kind: 'refused', code: 'EACCES', message: 'permission denied' });`;
    await expect(open(refused).live).rejects.toMatchObject({
      code: 'environment',
      message: expect.stringContaining('permission denied') as string,
      hint: expect.stringContaining('--live PORT') as string,
    });
  });

  test.each([
    [`throw new Error('out of paper')`, 'out of paper'],
    ['process.exit(7)', 'its thread ended (7)'],
  ])('that ends later is reported once, and the run continues: %s', async (dying, reason) => {
    const { live, notes, drain } = open(`${listening} parentPort.once('message', () => { ${dying} });`);
    const feed = await live;
    feed.add(Buffer.from('the line that it dies of'));
    await expect.poll(() => notes.length).toBe(2);
    feed.add(Buffer.from('a line more'));
    drain.abort();
    await feed.end('results/there.json');
    expect(notes.slice(1)).toEqual([`The live page failed: ${reason}. The run continues.`]);
  });

  test('that ends together with the run is not reported', async () => {
    const { live, notes } = open(`${listening} parentPort.once('message', () => process.exit());`);
    await (await live).end(undefined);
    expect(notes).toEqual([expect.stringMatching(/^live page http:\/\/127\.0\.0\.1:1234\/[\w-]{32}\/$/)]);
  });

  test('forwards its buttons', async () => {
    const { live, presses } = open(
      `${listening} parentPort.once('message', () => { tell({ kind: 'press', button: 'cut' }); process.exit(); });`,
    );
    await (await live).end(undefined);
    expect(presses).toEqual(['cut']);
  });
});
