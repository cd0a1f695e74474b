import { type ChatLoadError, messageOf } from '../../base/errors.ts';
import type { JournalWriter } from '../../edge/disk/write-journal.ts';
import { leadOf } from '../../fleet/coordinator.ts';
import { checkShards } from '../../plan/shard.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Live } from '../../record/live.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import type { Result } from '../../result/result.ts';
import { describeFleet, type Worker } from '../../result/sections/environment.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { RunOutcome } from '../../run.ts';
import { checkHost, checkSockets } from './check-settled.ts';
import { describeRun, type RunNames, publishedStop, publishRun } from './publish-run.ts';
import { keepJournal } from './keep-journal.ts';
import { playLoad } from './play-load.ts';
import type { Fleet, LiveFeed, RunObserver, RunUnderWay, Stops } from './ports.ts';
import { tlsWarningsOf, withReportedHttp, withService, withTarget, type OpenTarget } from './with-target.ts';
import { withOtherProtocols } from './find-protocols.ts';

interface Performance extends RunNames {
  stops: Pick<Stops, 'drain' | 'cut'>;
  /** Called with notes for the user before the start. */
  note?: (text: string) => void;
  /** Shows progress until the returned function is called. */
  show: (live: () => Live) => () => void;
  /** Opens the journal of the run and writes its header; resolves with `undefined` if there is no journal. */
  openJournal?: (header: JournalHeader) => Promise<JournalWriter | undefined>;
  /** Follows the run, line by line. */
  live?: LiveFeed | undefined;
  /** Resolves with the first failure of scenario code that no session awaits. */
  strayFailed?: Promise<ChatLoadError> | undefined;
  /** Exporters of live figures. */
  observers?: readonly RunObserver[] | undefined;
  /** Fleet that runs the load. Default: this process. */
  fleet?: Fleet | undefined;
}

export interface Performed {
  result: Result;
  stop: RunOutcome['stop'];
}

/** Performs a run against its target; the embedded service is started first. */
export async function performRun(settled: Settled, performance: Performance): Promise<Performed> {
  const { fleet, note } = performance;
  checkHost(settled);
  if (fleet !== undefined) checkShards(settled.plan, fleet.count);
  // Each shard checks its own sockets.
  const warnings = [...tlsWarningsOf(settled), ...(fleet === undefined ? await checkSockets(settled) : [])];
  const warn = (warning: Warning): void => note?.(warningText(warning));
  warnings.forEach(warn);
  const play = async (target: OpenTarget): Promise<Performed> =>
    playRun(target, performance, await describeRun(target.settled, performance, warnings));
  return withService(settled, fleet?.serviceCores ?? 1, (baseUrl) =>
    fleet === undefined ? withTarget(settled, { baseUrl, warn }, play) : play({ settled, baseUrl }),
  );
}

async function playRun(
  { settled, baseUrl }: OpenTarget,
  performance: Performance,
  described: JournalHeader,
): Promise<Performed> {
  const { stops, note = () => undefined, live, strayFailed, fleet } = performance;
  const { drain, cut } = stops;
  const codes = new Set<string>();
  let header = described;
  let journal: ReturnType<typeof keepJournal> | undefined;
  const shown = showRun(performance, describeTarget(header, baseUrl));
  const playing = playLoad(
    { settled, baseUrl, fleet, run: header.run.id },
    {
      drain,
      cut,
      strayFailed,
      note,
      warn: (warning) => {
        codes.add(warning.code);
        note(warningText(warning));
      },
      begin: async (accountNow, workers) => {
        if (workers !== null) header = withWorkers(startingNow(header, workers.length), workers.map(uncounted));
        const begun = { ...header, plan: withReportedHttp(header.plan, codes) };
        const writer = await performance.openJournal?.(begun);
        journal = keepJournal({ writer, live }, { run: header.run.id, accountNow });
        live?.begin(begun);
        return journal;
      },
      watch: (underWay) => shown.begin(underWay),
    },
  );
  const { outcome: played, account, samples: generatorSamples, workers } = await playing.finally(() => shown.stop());
  // Targets of remote workers are not contacted from this machine.
  const outcome = fleet?.isElsewhere === true ? played : await withOtherProtocols(played, settled, { baseUrl, drain });
  const observed = await shown.end(stops);
  for (const warning of observed) journal?.warn?.(warning);
  const stop = publishedStop(outcome.stop, settled.secrets);
  await journal?.end({ elapsedMs: outcome.elapsedMs, stop, workers: workers && [...workers] }, account);
  const { generator, traffic, transport } = account;
  const around = { ...(workers === null ? header : withWorkers(header, workers)), generator, generatorSamples };
  const spoken = { ...settled, plan: withReportedHttp(settled.plan, codes) };
  const warnings = [...outcome.warnings, ...observed];
  return {
    result: publishRun(spoken, { ...outcome, warnings }, { ...around, traffic, transport }),
    stop: outcome.stop,
  };
}

/** Shows a run on the screen and to its observers. */
function showRun({ show, observers = [] }: Performance, target: Omit<RunUnderWay, 'live' | 'totals'>) {
  let stop = (): void => undefined;
  let end: ReturnType<typeof observeRun> = () => Promise.resolve([]);
  return {
    begin: (underWay: Pick<RunUnderWay, 'live' | 'totals'>): void => {
      stop = show(() => underWay.live());
      end = observeRun(observers, { ...target, ...underWay });
    },
    stop: (): void => stop(),
    end: (stops: Pick<Stops, 'drain' | 'cut'>) => end(stops),
  };
}

const describeTarget = ({ plan, run }: JournalHeader, baseUrl: URL): Omit<RunUnderWay, 'live' | 'totals'> => ({
  plan,
  run,
  target: {
    address: baseUrl.hostname,
    port: Number(baseUrl.port) || (baseUrl.protocol === 'https:' ? 443 : 80),
    protocol: plan.target.protocol,
  },
});

/** Sets the start of a fleet to the time when all shards are ready. */
const startingNow = (header: JournalHeader, shards: number): JournalHeader => ({
  ...header,
  run: { ...header.run, startedAt: new Date(Date.now() + leadOf(shards)).toISOString() },
});

/** Describes the workers in the environment; the calibration of one generator does not apply to several. */
const withWorkers = (header: JournalHeader, workers: readonly Worker[]): JournalHeader => ({
  ...header,
  environment: header.environment && describeFleet(header.environment, workers),
  calibration: null,
});

/** Returns a worker without final counts, which are unknown while the run is active. */
const uncounted = (worker: Worker): Worker => ({ ...worker, sessionsStarted: null, turnsFinished: null });

const warningText = ({ message, remedy }: Warning): string => `warning: ${message} ${remedy ?? ''}`;

/** Shows a run to its observers, whose errors cannot end it. The returned function ends the observation and returns what was lost. */
function observeRun(
  observers: readonly RunObserver[],
  run: RunUnderWay,
): (stops: Pick<Stops, 'drain' | 'cut'>) => Promise<Warning[]> {
  const observed = observers.map((observer) => {
    try {
      return observer.observe(run);
    } catch (thrown) {
      return { end: () => Promise.resolve([failed(thrown)]) };
    }
  });
  return async ({ drain, cut }) => {
    // After a signal, the last export may still be waiting; the next signal ends it.
    const hurry = drain.aborted ? cut : drain;
    const lost = await Promise.all(
      observed.map((each) => each.end(hurry).catch((thrown: unknown) => [failed(thrown)])),
    );
    return lost.flat();
  };
}

const failed = (thrown: unknown): Warning => ({
  code: 'metrics_not_exported',
  message: `The export of metrics failed: ${messageOf(thrown)}`,
  remedy: null,
});
