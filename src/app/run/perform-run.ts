import { type ChatLoadError, messageOf, usageError } from '../../base/errors.ts';
import type { JournalWriter } from '../../edge/disk/write-journal.ts';
import { newSalt } from '../../edge/new-run.ts';
import { followMetrics } from '../../edge/target-metrics/follow-metrics.ts';
import { leadOf } from '../../fleet/coordinator.ts';
import { checkMetrics } from '../../plan/host-names.ts';
import { checkShards } from '../../plan/shard.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import type { Live } from '../../record/live.ts';
import type { JournalHeader, EndEntry, GeneratorAccount, JournalEntry } from '../../result/journal/journal.ts';
import type { Result } from '../../result/result.ts';
import { traceText } from '../../report/plan/plan-text.ts';
import { traceWarnings } from '../../result/warnings/trace-warnings.ts';
import { describeFleet, type Worker } from '../../result/sections/environment.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { RunOutcome } from '../../run.ts';
import { checkHost, checkSockets } from './check-resolved.ts';
import { describeRun, type RunNames, publishedStop, publishRun } from './publish-run.ts';
import { playLoad } from './play-load.ts';
import { tlsOptionsOf } from './open-generator.ts';
import type { Fleet, RunObserver, RunPorts, RunUnderWay, Stops, LiveFeed } from './ports.ts';
import { tlsWarningsOf } from './network-warnings.ts';
import { withReportedHttp, withTarget, type OpenTarget } from './with-target.ts';
import { withService } from './with-service.ts';
import { withOtherProtocols } from './find-protocols.ts';
import { encodeLine } from '../../edge/disk/lines.ts';
import type { FleetJournal } from '../../coordinate.ts';

interface Performance extends RunNames, Pick<RunPorts, 'live' | 'observers' | 'fleet'> {
  stops: Pick<Stops, 'drain' | 'cut'>;
  note?: (text: string) => void;
  /** Shows progress until the returned function is called. */
  show: (live: () => Live) => () => void;
  /** Opens the journal of the run and writes its header; resolves with `undefined` without a journal. */
  openJournal?: (header: JournalHeader) => Promise<JournalWriter | undefined>;
  /** Resolves with the first failure of scenario code that no session awaits. */
  strayFailed?: Promise<ChatLoadError> | undefined;
}

export interface Performed {
  result: Result;
  stop: RunOutcome['stop'];
}

/** Performs a run against its target; the embedded service is started first. */
export async function performRun(resolved: ResolvedScenario, performance: Performance): Promise<Performed> {
  const { fleet, note } = performance;
  checkHost(resolved);
  // Workers do not scrape, so only this machine has to allow the hosts.
  checkMetrics(resolved.plan);
  if (fleet !== undefined) {
    checkShards(resolved.plan, fleet.count);
    refuseFleetWithModel(resolved, fleet);
  }
  // Each shard checks its own sockets.
  noteTrace(resolved.plan, note);
  const warnings = [...tlsWarningsOf(resolved), ...(fleet === undefined ? await checkSockets(resolved) : [])];
  const warn = (warning: Warning): void => note?.(warningText(warning));
  warnings.forEach(warn);
  const play = async (target: OpenTarget): Promise<Performed> =>
    playRun(target, performance, await describeRun(target.resolved, performance, warnings));
  const stop = performance.stops.drain;
  const needs = { note: (text: string) => note?.(text), stop };
  return withService(resolved, needs, (baseUrl, model) =>
    fleet === undefined ? withTarget(resolved, { baseUrl, model, warn }, play) : play({ resolved, baseUrl, model }),
  );
}

/** Shows the reading of a replayed trace: its result contains the same warnings. */
function noteTrace(plan: Plan, note: Performance['note']): void {
  if (plan.load.model !== 'open' || plan.load.trace === undefined) return;
  note?.(`trace     ${traceText(plan.load.trace)}`);
  for (const warning of traceWarnings(plan)) note?.(warningText(warning));
}

/** Throws a usage error for a model service with workers on other machines, whose attempts it could not follow. */
function refuseFleetWithModel({ model }: ResolvedScenario, { isElsewhere }: Fleet): void {
  if (model === undefined || !isElsewhere) return;
  throw usageError(
    'A scenario with model cannot be run by a fleet (--fleet): the model service follows the attempts of this machine only.',
    'Nothing was sent. Use --cores, or omit model.',
  );
}

async function playRun(
  { resolved, baseUrl, model }: OpenTarget,
  performance: Performance,
  described: JournalHeader,
): Promise<Performed> {
  const { stops, note = () => undefined, live, strayFailed, fleet } = performance;
  const { drain, cut } = stops;
  const codes = new Set<string>();
  let header = described;
  // This process scrapes for a fleet, too: once per endpoint.
  const metrics = await followMetrics(resolved.plan.target.metrics ?? [], {
    tls: verificationOf(resolved),
    cut,
    warn: (warning) => note(warningText(warning)),
  });
  let journal: ReturnType<typeof keepJournal> | undefined;
  const shown = showRun(performance, describeTarget(header, baseUrl));
  const playing = playLoad(
    { resolved, baseUrl, model, fleet, run: header.run.id, salt: header.run.salt ?? newSalt() },
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
        // Final counts are unknown while the run is active.
        const uncounted = workers?.map((worker) => ({ ...worker, sessionsStarted: null, turnsFinished: null }));
        if (uncounted !== undefined) {
          // A fleet starts when all shards are ready.
          const startedAt = new Date(Date.now() + leadOf(uncounted.length)).toISOString();
          header = withWorkers({ ...header, run: { ...header.run, startedAt } }, uncounted);
        }
        metrics.begin(uncounted === undefined ? 0 : leadOf(uncounted.length));
        const begun = { ...header, plan: withReportedHttp(header.plan, codes) };
        const writer = await performance.openJournal?.(begun);
        journal = keepJournal({ writer, live }, { run: header.run.id, accountNow });
        live?.begin(begun);
        return journal;
      },
      watch: (underWay) => shown.begin(underWay),
    },
  );
  const loaded = await playing
    .finally(() => shown.stop())
    .catch((thrown: unknown) => {
      metrics.close();
      throw thrown;
    });
  const { outcome: played, account, samples: generatorSamples, workers } = loaded;
  const { endpoints, warnings: unread } = await metrics.end();
  // Targets of remote workers are not contacted from this machine.
  const outcome = fleet?.isElsewhere === true ? played : await withOtherProtocols(played, resolved, { baseUrl, drain });
  const observed = [...unread, ...(await shown.end(stops))];
  for (const warning of observed) journal?.warn?.(warning);
  const stop = publishedStop(outcome.stop, resolved);
  await journal?.end({ elapsedMs: outcome.elapsedMs, stop, workers: workers && [...workers] }, account);
  const { generator, traffic, transport } = account;
  const targetMetrics = resolved.secrets.redactDocument(endpoints);
  const around = {
    ...(workers === null ? header : withWorkers(header, workers)),
    generator,
    generatorSamples,
    targetMetrics,
  };
  const spoken = { ...resolved, plan: withReportedHttp(resolved.plan, codes) };
  const warnings = [...outcome.warnings, ...observed];
  return {
    result: publishRun(spoken, { ...outcome, warnings }, { ...around, traffic, transport }),
    stop: outcome.stop,
  };
}

/** Returns the authorities of the target, without its client certificate and its server name. */
export function verificationOf(resolved: ResolvedScenario): { ca: Buffer | undefined; rejectUnauthorized: boolean } {
  return { ca: resolved.tlsFiles?.ca, rejectUnauthorized: tlsOptionsOf(resolved).rejectUnauthorized !== false };
}

/** Shows a run on the screen and to its observers, whose errors cannot end it. */
function showRun({ show, observers = [] }: Performance, target: Omit<RunUnderWay, 'live' | 'totals'>) {
  let stop = (): void => undefined;
  let observed: readonly ReturnType<RunObserver['observe']>[] = [];
  return {
    begin: (underWay: Pick<RunUnderWay, 'live' | 'totals'>): void => {
      stop = show(() => underWay.live());
      observed = observers.map((observer) => {
        try {
          return observer.observe({ ...target, ...underWay });
        } catch (thrown) {
          return { end: () => Promise.resolve([failed(thrown)]) };
        }
      });
    },
    stop: (): void => stop(),
    /** Ends the observation. Resolves with warnings about lost figures. */
    end: async ({ drain, cut }: Performance['stops']): Promise<Warning[]> => {
      // After a signal, the last export may still be waiting; the next signal ends it.
      const hurry = drain.aborted ? cut : drain;
      const lost = observed.map((each) => each.end(hurry).catch((thrown: unknown) => [failed(thrown)]));
      return (await Promise.all(lost)).flat();
    },
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

/** Describes the workers in the environment; the calibration of one generator does not apply to several. */
const withWorkers = (header: JournalHeader, workers: readonly Worker[]): JournalHeader => ({
  ...header,
  environment: header.environment && describeFleet(header.environment, workers),
  calibration: null,
});

const warningText = ({ message, remedy }: Warning): string => `warning: ${message} ${remedy ?? ''}`;

const failed = (thrown: unknown): Warning => ({
  code: 'metrics_not_exported',
  message: `The export of metrics failed: ${messageOf(thrown)}`,
  remedy: null,
});

interface KeptJournal extends FleetJournal {
  /** Writes the end of the run; resolves when everything is written. */
  end(
    ended: Pick<EndEntry, 'elapsedMs' | 'stop'> & Partial<Pick<EndEntry, 'workers'>>,
    account: GeneratorAccount,
  ): Promise<void>;
}

/** Numbers the intervals of a run and writes them to its journal, each encoded once and with the load on the generator. */
export function keepJournal(
  { writer, live }: { writer?: JournalWriter | undefined; live?: LiveFeed | undefined },
  { run, accountNow }: { run: string; accountNow: () => GeneratorAccount },
): KeptJournal {
  let [intervals, untilMs] = [0, 0];
  const write = (entry: JournalEntry): void => {
    const line = encodeLine(entry);
    writer?.add(line);
    live?.add(line);
  };
  const add: FleetJournal['add'] = (piece, missing = []) => {
    if (writer === undefined && live === undefined) return;
    untilMs = Math.max(untilMs, piece.elapsedMs);
    const number = ++intervals;
    // Totals repeat the interval: half of the line.
    write({
      kind: 'interval',
      run,
      number,
      elapsedMs: untilMs,
      piece: { ...piece, totals: [] },
      ...(missing.length > 0 && { missing: [...missing] }),
      ...accountNow(),
    });
  };
  return {
    failed: writer?.failed ?? new Promise(() => undefined),
    add,
    addModel: (piece) => add(piece),
    lost: (worker) => write({ kind: 'lost', run, worker }),
    warn: (warning) => write({ kind: 'warning', run, warning }),
    end: async ({ elapsedMs, stop, workers = null }, account) => {
      write({ kind: 'end', run, intervals, elapsedMs, stop, workers, ...account });
      await writer?.close();
    },
  };
}
