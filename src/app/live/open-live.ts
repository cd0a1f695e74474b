import type { LiveButton } from '../../edge/live/serve-live.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import { type Stop, publishStop } from '../../result/sections/run-facts.ts';
import { Worker } from 'node:worker_threads';
import { type ChatLoadError, messageOf, environmentError } from '../../base/errors.ts';
import { ms } from '../../base/time.ts';
import { addressOf, newToken } from '../../edge/live/open-guarded.ts';
import { pathInPackage } from '../../edge/path-in-package.ts';
import { isLoopbackHost } from '../../edge/small-server.ts';
import { stopBy } from '../../schedule/stop/stop-controller.ts';
import type { LiveFeed, Stops } from '../run/ports.ts';

export type LiveStart = LiveEndpoint & { token: string };

/** Messages from the thread of the run to the thread of its page. A line is an unmodified line of the journal. */
export type ToLivePage =
  | { kind: 'begin'; header: JournalHeader }
  | { kind: 'line'; line: Uint8Array }
  | { kind: 'stopping'; phase: 'draining' | 'cut'; stop: Stop | null }
  | { kind: 'ended'; path: string }
  | { kind: 'failed'; reason: string };

export type FromLivePage =
  | { kind: 'listening'; port: number }
  | { kind: 'refused'; code: string; message: string }
  | { kind: 'press'; button: LiveButton };

/** Address of a live page; port 0 selects a free port. */
export interface LiveEndpoint {
  host: string;
  port: number;
}

interface OpenLive extends LiveFeed {
  /** Ends the page: viewers receive the report, in bounded time. `path`: path of the result, if any. */
  end(path: string | undefined): Promise<void>;
}

/** Heap limit of the thread, which ends if it is exceeded; the run continues. */
const maxHeapMb = 1024;

/**
 * Serves the page of a run from a separate thread, before the run starts, and notes the address, which is a secret. Throws
 * an environment error if the page cannot be served. If the thread ends during the run, a note reports it and the run continues.
 */
export async function openLive(
  { host, port }: LiveEndpoint,
  {
    stops,
    press,
    note,
  }: {
    stops: Pick<Stops, 'drain' | 'cut'>;
    press: (button: LiveButton) => void;
    note: (text: string) => void;
  },
  thread: string | URL = pathInPackage('dist/app/live/live-worker.js'),
): Promise<OpenLive> {
  const token = newToken();
  const worker = new Worker(thread, {
    workerData: { host: host === 'localhost' ? '127.0.0.1' : host, port, token } satisfies LiveStart,
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    execArgv: [],
  });
  const exited = exitOf(worker);
  const first = await Promise.race([new Promise<FromLivePage>((resolve) => worker.once('message', resolve)), exited]);
  if (first.kind === 'exited')
    throw environmentError(
      `The live page cannot start: ${first.reason}.`,
      'Nothing was sent. Omit --live to run without the page.',
    );
  if (first.kind !== 'listening') throw cannotListen({ host, port }, first);
  let isEnding = false;
  worker.on('message', (message: FromLivePage) => message.kind === 'press' && press(message.button));
  void exited.then(({ reason }) => {
    if (!isEnding) note(`The live page failed: ${reason}. The run continues.`);
  });
  const address = addressOf({ host, port: first.port, token });
  note(`live page ${address}`);
  if (!isLoopbackHost(host))
    note('Anyone with this address can watch and stop the run; the connection is not encrypted.');

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
      const timer = setTimeout(() => void worker.terminate(), 20_000);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Resolves when the thread ends; `reason` explains an unexpected end. */
function exitOf(worker: Worker): Promise<{ kind: 'exited'; reason: string }> {
  return new Promise((resolve) => {
    let reason: string | undefined;
    worker.once('error', (thrown) => (reason = messageOf(thrown).replace(/\.$/, '')));
    worker.once('exit', (code) => resolve({ kind: 'exited', reason: reason ?? `its thread ended (${String(code)})` }));
  });
}

function cannotListen({ host, port }: LiveEndpoint, refused: FromLivePage): ChatLoadError {
  const { code, message } = refused.kind === 'refused' ? refused : { code: '', message: 'its thread did not start' };
  return environmentError(
    `The live page cannot listen on ${host}, port ${String(port)}: ${code === 'EADDRINUSE' ? 'the port is in use' : message}.`,
    'Nothing was sent. Use another port with --live PORT (0 selects a free port), or another --live-host.',
  );
}
