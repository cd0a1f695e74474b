import type { LiveButton } from '../../edge/live/serve-live.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import { type Stop, publishStop } from '../../result/sections/run-facts.ts';
import { Worker } from 'node:worker_threads';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { ms } from '../../base/time.ts';
import { addressOf, newToken } from '../../edge/live/open-guarded.ts';
import { pathInPackage } from '../../edge/path-in-package.ts';
import { isLoopbackHost } from '../../edge/small-server.ts';
import { stopBy } from '../../schedule/stop/stop-controller.ts';
import type { LiveFeed, Stops } from '../run/ports.ts';

/** What the thread that serves a live page starts with. */
export interface LiveStart {
  host: string;
  port: number;
  token: string;
}

/** From the thread of the run to that of its page. A line is one of the journal's, as it stands there. */
export type ToLivePage =
  | { kind: 'begin'; header: JournalHeader }
  | { kind: 'line'; line: Uint8Array }
  | { kind: 'stopping'; phase: 'draining' | 'cut'; stop: Stop | null }
  | { kind: 'ended'; path: string }
  | { kind: 'failed'; reason: string };

/** And back. */
export type FromLivePage =
  | { kind: 'listening'; port: number }
  | { kind: 'refused'; code: string; message: string }
  | { kind: 'press'; button: LiveButton };

/** Where a live page is served; port 0: a free one. */
export interface LivePlace {
  host: string;
  port: number;
}

interface Around {
  stops: Pick<Stops, 'drain' | 'cut'>;
  /** A button of the page was pressed. */
  press: (button: 'drain' | 'cut') => void;
  note: (text: string) => void;
}

export interface OpenLive extends LiveFeed {
  /** The run has ended: the viewers get the report, in bounded time. `path`: of the result; `undefined`: there is none. */
  end(path: string | undefined): Promise<void>;
}

/** The bounds of what the page may hold: beyond it its thread ends, and the run goes on. */
const maxHeapMb = 1024;

/** A report of a night takes a while to make. */
const patienceMs = 20_000;

/**
 * Serves the page of a run that is about to start, from a thread of its own, and notes its address, which is a secret.
 * Throws an environment error where it cannot be served. A thread that ends later is noted: the run goes on without it.
 */
export async function openLive(
  { host, port }: LivePlace,
  { stops, press, note }: Around,
  thread: string | URL = pathInPackage('dist/app/live/live-worker.js'),
): Promise<OpenLive> {
  const token = newToken();
  const worker = new Worker(thread, {
    workerData: { host: host === 'localhost' ? '127.0.0.1' : host, port, token } satisfies LiveStart,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    execArgv: [],
  });
  const exited = exitOf(worker);
  const first = await Promise.race([firstMessage(worker), exited]);
  if (first.kind === 'exited') throw cannotStart(first.reason);
  if (first.kind !== 'listening') throw cannotListen({ host, port }, first);
  let isEnding = false;
  worker.on('message', (message: FromLivePage) => message.kind === 'press' && press(message.button));
  void exited.then(({ reason }) => {
    if (!isEnding) note(`The live page has failed, the run goes on: ${reason}.`);
  });
  const address = addressOf({ host, port: first.port, token });
  note(`live page ${address}`);
  if (!isLoopbackHost(host))
    note('Whoever has this address can watch the run and stop it; it is not encrypted on its way.');

  const send = (message: ToLivePage): void => worker.postMessage(message);
  let startedAt = performance.now();
  const stopping = (phase: 'draining' | 'cut', signal: AbortSignal): void =>
    send({
      kind: 'stopping',
      phase,
      stop: publishStop({ ...stopBy(signal), atMs: ms(performance.now() - startedAt) }),
    });
  const drained = (): void => stopping('draining', stops.drain);
  const cut = (): void => stopping('cut', stops.cut);
  stops.drain.addEventListener('abort', drained);
  stops.cut.addEventListener('abort', cut);
  return {
    address,
    begin: (header) => {
      startedAt = performance.now();
      send({ kind: 'begin', header });
    },
    add: (line) => send({ kind: 'line', line }),
    end: async (path) => {
      isEnding = true;
      stops.drain.removeEventListener('abort', drained);
      stops.cut.removeEventListener('abort', cut);
      send(path === undefined ? { kind: 'failed', reason: 'the run has no result' } : { kind: 'ended', path });
      await endWithin(worker, exited);
    },
  };
}

interface Exited {
  kind: 'exited';
  /** Why, where nobody asked it to. */
  reason: string;
}

/** Resolves when the thread has ended, for whatever reason. */
function exitOf(worker: Worker): Promise<Exited> {
  return new Promise((resolve) => {
    let reason: string | undefined;
    worker.once('error', (thrown) => (reason = messageOf(thrown).replace(/\.$/, '')));
    worker.once('exit', (code) => resolve({ kind: 'exited', reason: reason ?? `its thread ended (${String(code)})` }));
  });
}

const firstMessage = (worker: Worker): Promise<FromLivePage> =>
  new Promise((resolve) => worker.once('message', resolve));

async function endWithin(worker: Worker, exited: Promise<unknown>): Promise<void> {
  const timer = setTimeout(() => void worker.terminate(), patienceMs);
  await exited;
  clearTimeout(timer);
}

function cannotListen({ host, port }: LivePlace, refused: FromLivePage): ChatLoadError {
  const { code, message } = refused.kind === 'refused' ? refused : { code: '', message: 'its thread did not start' };
  return new ChatLoadError('environment', {
    message: `The live page cannot listen on ${host}, port ${String(port)}: ${code === 'EADDRINUSE' ? 'the port is in use' : message}.`,
    hint: 'Nothing was sent. Give another port with --live PORT (0 picks a free one), or another --live-host.',
  });
}

const cannotStart = (reason: string): ChatLoadError =>
  new ChatLoadError('environment', {
    message: `The live page cannot start: ${reason}.`,
    hint: 'Nothing was sent. Leave out --live to run without the page.',
  });
