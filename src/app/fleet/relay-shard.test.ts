import { describe, expect, test } from 'vitest';
import { StandIn, jobsOf } from '../../../test/support/fleet-lab.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import type { LineListener, OfShard, ShardLine } from '../../fleet/shards.ts';
import { relayShard, type ShardEnd, patience } from './relay-shard.ts';

/** A line with the test at its other end. */
class Line implements ShardLine {
  readonly said: OfShard[] = [];
  hasRoom = true;
  isAllRead = true;
  isClosed = false;
  listener: LineListener | undefined;

  send(said: OfShard): boolean {
    if (this.hasRoom || said.kind === 'failed' || said.kind === 'gone') this.said.push(said);
    return this.hasRoom;
  }

  listen(listener: LineListener): void {
    this.listener = listener;
  }

  isRead(): boolean {
    return this.isAllRead;
  }

  close(): void {
    this.isClosed = true;
  }
}

function play() {
  const [clock, line, child] = [new VirtualClock(), new Line(), new StandIn()];
  const [drain, cut] = [new AbortController(), new AbortController()];
  const notes: string[] = [];
  const ends: ShardEnd[] = [];
  const [job] = jobsOf('unit', 1);
  if (job === undefined) throw new Error('there is one job');
  void relayShard(job, {
    line,
    fork: () => child,
    clock,
    patience,
    folder: '/scenarios',
    allowHosts: ['a.example'],
    stops: { drain: drain.signal, cut: cut.signal },
    note: (text) => notes.push(text),
  }).then((end) => ends.push(end));
  return { clock, line, child, drain, cut, notes, ends, job };
}

describe('the shard of a worker', () => {
  test('runs in the folder of its worker and does not trust the target of the job', () => {
    const { child, job } = play();
    expect(child.sent).toEqual([
      { kind: 'play', job, folder: '/scenarios', allowHosts: ['a.example'], trustsTarget: false },
    ]);
  });

  test('continues while its coordinator sends heartbeats, however long', async () => {
    const { clock, line, child } = play();
    for (let second = 1; second <= 120; second++) {
      await clock.run(second * 1000);
      line.listener?.heartbeat();
    }
    expect(child.words).toEqual(['play']);
  });

  test('is drained after 10 s of silence, cut after 20 s and ended after 30 s', async () => {
    const { clock, line, child, ends } = play();
    await clock.run(1000);
    line.listener?.heartbeat();
    await clock.run(10_999);
    expect(child.words).toEqual(['play']);
    await clock.run(11_000);
    expect(child.words).toEqual(['play', 'drain']);
    await clock.run(21_000);
    expect([child.words, child.isKilled]).toEqual([['play', 'drain', 'cut'], false]);
    await clock.run(31_000);
    expect([child.isKilled, line.isClosed, ends]).toEqual([true, true, ['failed']]);
    expect(clock.pending).toBe(0);
  });

  test('ends when its coordinator has read all messages, not before', async () => {
    const { clock, line, child, ends } = play();
    line.isAllRead = false;
    child.end();
    line.listener?.heartbeat();
    await clock.run(500);
    expect([ends, line.isClosed]).toEqual([[], false]);
    line.isAllRead = true;
    line.listener?.heartbeat();
    await clock.run();
    expect([ends, line.isClosed]).toEqual([['played'], true]);
    expect(line.said.map(({ kind }) => kind)).toEqual(['ended', 'gone']);
  });

  test('does not wait for a coordinator that never reads', async () => {
    const { clock, line, child, ends } = play();
    line.isAllRead = false;
    child.end();
    await clock.run();
    expect([ends, clock.now()]).toEqual([['played'], 30_000]);
  });

  test('is ended when its messages do not fit, and its coordinator is notified', async () => {
    const { clock, line, child, notes, ends } = play();
    child.count(1, 1);
    line.hasRoom = false;
    child.count(2, 3);
    line.hasRoom = true;
    child.count(4, 4);
    await clock.run();
    expect(child.isKilled).toBe(true);
    expect(line.said).toEqual([
      { kind: 'started', lateMs: 1 },
      { kind: 'failed', message: 'its coordinator does not read messages, and the buffer of its worker is full' },
      { kind: 'gone', reason: 'its process was ended by SIGKILL' },
    ]);
    expect([ends, notes.some((note) => note.startsWith('failed: '))]).toEqual([['failed'], true]);
  });

  test('is ended at once when it was abandoned, even if messages are unread', async () => {
    const { clock, line, child, ends } = play();
    line.isAllRead = false;
    line.listener?.abandoned();
    line.listener?.abandoned();
    await clock.run();
    expect([child.isKilled, ends, clock.now()]).toEqual([true, ['failed'], 0]);
  });

  test('ends with its process when its run has ended', async () => {
    const { clock, line, child, ends } = play();
    line.isAllRead = false;
    line.listener?.received({ kind: 'stop', level: 'cut' });
    line.listener?.closed();
    await clock.run(1);
    expect([child.words, ends]).toEqual([['play', 'cut'], []]);
    child.end();
    await clock.run();
    expect(ends).toEqual(['played']);
  });

  test('is ended 2 s after its run when it did not end with it', async () => {
    const { clock, line, child, notes, ends } = play();
    line.listener?.closed();
    await clock.run(1999);
    expect([child.isKilled, ends]).toEqual([false, []]);
    await clock.run();
    expect([child.isKilled, ends, clock.now()]).toEqual([true, ['failed'], 2000]);
    expect(notes).toContain('abandoned: it did not end with its run');
  });

  test('is drained and cut by the signals of its worker', () => {
    const { child, drain, cut } = play();
    drain.abort();
    cut.abort();
    expect(child.words).toEqual(['play', 'drain', 'cut']);
  });

  test('is abandoned on a second signal if it waits only for its coordinator', async () => {
    const { clock, line, child, drain, cut, ends } = play();
    line.isAllRead = false;
    child.end();
    drain.abort();
    await clock.run(0);
    expect(ends).toEqual([]);
    cut.abort();
    await clock.run();
    expect([ends, clock.now()]).toEqual([['played'], 0]);
  });

  test('notes that it was refused, and that its process ended without a message', async () => {
    const refused = play();
    refused.child.say({
      kind: 'refused',
      host: 'a-host',
      code: 'usage',
      message: 'another hash',
      hint: 'Check out the same.',
    });
    refused.child.leave();
    const gone = play();
    gone.child.leave('its process ended with code 134');
    await refused.clock.run();
    await gone.clock.run();
    expect([refused.notes, refused.ends]).toEqual([['refused: another hash. Check out the same.'], ['refused']]);
    expect([gone.notes, gone.ends]).toEqual([['gone: its process ended with code 134'], ['failed']]);
  });
});
