// Thread that builds and serves the page of an active run, so that the thread that generates the load only passes on one
// line per second.
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../base/errors.ts';
import { decodeLine } from '../../edge/disk/lines.ts';
import { readPageAssets } from '../../edge/path-in-package.ts';
import { readResult } from '../../edge/disk/read-result.ts';
import { lowerPriority } from '../../edge/live/lower-priority.ts';
import { serveLive, type LiveServer } from '../../edge/live/serve-live.ts';
import { assembleLivePage, assemblePage } from '../../report/page/assemble.ts';
import type { LiveEvents } from '../../report/page/live.ts';
import { viewResults } from '../../report/run/result-outline.ts';
import type { JournalEntry } from '../../result/journal/journal.ts';
import { LiveRun } from './live-run.ts';
import type { FromLivePage, LiveStart, ToLivePage } from './open-live.ts';

const { host, port, token } = workerData as LiveStart;
const send = (message: FromLivePage): void => parentPort?.postMessage(message);

lowerPriority();
let run: LiveRun | undefined;

const page = assembleLivePage(await readPageAssets('live'));
const greet = (): { event: string; data: string } | undefined => {
  if (run === undefined) return undefined;
  bringUpToDate(run);
  return { event: 'page', data: JSON.stringify(run.page()) };
};
const press = (button: 'drain' | 'cut'): void => send({ kind: 'press', button });
const server = await serveLive({ host, port, token, page, greet, press }).catch(refuse);

if (server !== undefined) {
  parentPort?.on('message', (message: ToLivePage) => void take(message, server));
  send({ kind: 'listening', port: server.port });
}

function refuse(thrown: unknown): undefined {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  send({ kind: 'refused', code, message: messageOf(thrown) });
}

async function take(message: ToLivePage, live: LiveServer): Promise<void> {
  switch (message.kind) {
    case 'begin':
      run = new LiveRun(message.header, () => performance.now());
      return live.viewers.send('page', JSON.stringify(run.page()));
    case 'line':
      takeLine(message.line);
      return publish();
    case 'stopping':
      run?.stopping(message.phase, message.stop);
      return publish();
    case 'ended':
      if (live.viewers.count > 0) live.viewers.send(...(await reportOf(message.path)));
      return close(live);
    case 'failed':
      live.viewers.send('failed', JSON.stringify({ reason: message.reason } satisfies LiveEvents['failed']));
      return close(live);
  }
}

function takeLine(line: Uint8Array): void {
  // Without its newline, as read from a file.
  const read = decodeLine(Buffer.from(line.buffer, line.byteOffset, line.byteLength - 1));
  // Written by the main thread.
  const entry = read?.entry as JournalEntry | undefined;
  if (entry?.kind === 'interval') run?.add(entry);
}

/** Updates the page if there are viewers; the first viewer receives the whole page. */
function publish(): void {
  if (run !== undefined && server !== undefined && server.viewers.count > 0) bringUpToDate(run);
}

function bringUpToDate(current: LiveRun): void {
  const update = current.update();
  if (update.kind !== 'nothing') server?.viewers.send(update.kind, JSON.stringify(update.data));
}

async function reportOf(path: string): Promise<[string, string]> {
  try {
    const report = assemblePage(viewResults([await readResult(path)]), await readPageAssets());
    return ['ended', JSON.stringify({ report, path } satisfies LiveEvents['ended'])];
  } catch (thrown) {
    return ['failed', JSON.stringify({ reason: messageOf(thrown) } satisfies LiveEvents['failed'])];
  }
}

async function close(live: LiveServer): Promise<void> {
  await live.close();
  parentPort?.close();
}
