import type { ChatLoadError } from '../../base/errors.ts';
import { systemClock } from '../../edge/clock.ts';
import type { JournalWriter } from '../../edge/disk/write-journal.ts';
import { startEmbedded } from '../../edge/target/embedded.ts';
import { checkShards } from '../../plan/shard.ts';
import type { Settled } from '../../plan/settle.ts';
import type { Live } from '../../record/live.ts';
import type { JournalHeader } from '../../result/journal/journal.ts';
import type { Result } from '../../result/result.ts';
import type { Warning } from '../../result/sections/warning.ts';
import type { RunOutcome } from '../../run.ts';
import { checkHost } from './check-host.ts';
import { checkSockets } from './check-sockets.ts';
import { conductRun } from './conduct-run.ts';
import { coordinateRun } from './coordinate-run.ts';
import { describeRun, type RunNames } from './describe-run.ts';
import { keepJournal } from './keep-journal.ts';
import { withAccess } from './open-access.ts';
import { openGenerator, type EndedGenerator, type LoadGenerator } from './open-generator.ts';
import { observeRun } from './observe-run.ts';
import type { Fleet, LiveFeed, RunObserver, RunUnderWay, Stops } from './ports.ts';
import { primeGenerator } from './prime-generator.ts';
import { tlsWarningsOf } from './tls-warnings-of.ts';
import { asHeard, reachTarget } from './reach-target.ts';
import { publishedStop, publishRun } from './publish-run.ts';
import { withOtherProtocols } from './seek-protocols.ts';
import { senderOptions } from './sender-options.ts';

interface Performance extends RunNames {
  stops: Pick<Stops, 'drain' | 'cut'>;
  /** Called with what the user should know before the start. */
  note?: (text: string) => void;
  /** Shows how the run goes, until the returned function is called. */
  show: (live: () => Live) => () => void;
  /** Opens the journal of the run, with its header in it; `undefined`: there is none. */
  openJournal?: (header: JournalHeader) => Promise<JournalWriter | undefined>;
  /** Follows the run, line by line. */
  live?: LiveFeed | undefined;
  /** Resolves when code of the scenario that no session awaits has failed; else never. */
  strayFailed?: Promise<ChatLoadError> | undefined;
  /** Who passes its figures on while it goes on. */
  observers?: readonly RunObserver[] | undefined;
  /** Plays the run; none: this process does. */
  fleet?: Fleet | undefined;
}

export interface Performed {
  result: Result;
  stop: RunOutcome['stop'];
}

/** Performs a run against its target, which is started first where it is the embedded one. */
export async function performRun(settled: Settled, performance: Performance): Promise<Performed> {
  const { fleet } = performance;
  checkHost(settled);
  if (fleet !== undefined) checkShards(settled.plan, fleet.count);
  // Every shard checks its own sockets, where they are opened.
  const warnings = [...tlsWarningsOf(settled), ...(fleet === undefined ? await checkSockets(settled) : [])];
  for (const warning of warnings) performance.note?.(wordWarning(warning));
  const embedded = settled.embedded && (await startEmbedded(settled.embedded, { cores: fleet?.serviceCores ?? 1 }));
  try {
    const baseUrl = new URL(embedded?.baseUrl ?? settled.plan.target.baseUrl ?? '');
    if (fleet !== undefined) {
      const header = await describeRun(settled, performance, warnings);
      return await shareLoad(settled, performance, { header, baseUrl, fleet });
    }
    const { reached, notes } = await reachTarget(settled, senderOptions(baseUrl, settled));
    for (const warning of notes) performance.note?.(wordWarning(warning));
    return await withAccess(reached, async (opened) => {
      await primeGenerator();
      const header = await describeRun(opened, performance, warnings);
      const writer = await performance.openJournal?.(header);
      const generator = openGenerator(senderOptions(baseUrl, opened), opened.access);
      return generateLoad(opened, performance, { header, baseUrl, writer, generator });
    });
  } finally {
    await embedded?.close();
  }
}

/** What a run that is about to start has. */
interface Prepared {
  header: JournalHeader;
  baseUrl: URL;
  writer: JournalWriter | undefined;
  generator: LoadGenerator;
}

async function generateLoad(settled: Settled, performance: Performance, prepared: Prepared): Promise<Performed> {
  const { header, writer, generator } = prepared;
  const { run } = header;
  const accountNow = (): ReturnType<LoadGenerator['accountNow']> => generator.accountNow();
  const { stops, note, live, strayFailed } = performance;
  const journal = keepJournal({ writer, live }, { run: run.id, accountNow });
  live?.begin(header);
  const shown = showRun(performance, describeTarget(prepared));
  let ended: EndedGenerator;
  let outcome: RunOutcome;
  try {
    outcome = await conductRun(settled, {
      sender: generator.sender,
      clock: systemClock,
      stops,
      journal,
      strayFailed,
      warn: (warning) => note?.(wordWarning(warning)),
      watch: (recorder) =>
        shown.begin({ live: () => recorder.live(systemClock.now()), totals: () => recorder.totals() }),
    });
  } finally {
    shown.stop();
    ended = await generator.end();
  }
  outcome = await withOtherProtocols(outcome, settled, { baseUrl: prepared.baseUrl, drain: stops.drain });
  const { account, samples } = ended;
  const observed = await shown.end(stops);
  for (const warning of observed) journal.warn?.(warning);
  await journal.end({ elapsedMs: outcome.elapsedMs, stop: publishedStop(outcome.stop, settled.secrets) }, account);
  const { generator: health, traffic, transport } = account;
  const warnings = [...outcome.warnings, ...observed];
  const around = { ...header, generator: health, generatorSamples: samples, traffic, transport };
  return { result: publishRun(settled, { ...outcome, warnings }, around), stop: outcome.stop };
}

/** The same with the load generated by others. */
async function shareLoad(
  settled: Settled,
  performance: Performance,
  prepared: Pick<Prepared, 'header' | 'baseUrl'> & { fleet: Fleet },
): Promise<Performed> {
  const { stops, note = () => undefined, live, strayFailed } = performance;
  let journal: ReturnType<typeof keepJournal> | undefined;
  const shown = showRun(performance, describeTarget(prepared));
  const codes = new Set<string>();
  const coordinating = coordinateRun(settled, prepared, {
    ...stops,
    baseUrl: prepared.baseUrl,
    strayFailed,
    note,
    warn: (warning) => {
      codes.add(warning.code);
      note(wordWarning(warning));
    },
    openJournal: async (begun, accountNow) => {
      const header = { ...begun, plan: asHeard(begun.plan, codes) };
      const writer = await performance.openJournal?.(header);
      live?.begin(header);
      return (journal = keepJournal({ writer, live }, { run: header.run.id, accountNow }));
    },
    watch: (underWay) => shown.begin(underWay),
  });
  const { outcome: ended, header } = await coordinating.finally(() => shown.stop());
  const { drain } = stops;
  const { baseUrl, fleet } = prepared;
  // A target of workers elsewhere is not asked from here.
  const outcome = fleet.isElsewhere ? ended : await withOtherProtocols(ended, settled, { baseUrl, drain });
  const { account, samples: generatorSamples } = outcome;
  const stop = publishedStop(outcome.stop, settled.secrets);
  const observed = await shown.end(stops);
  for (const warning of observed) journal?.warn?.(warning);
  await journal?.end({ elapsedMs: outcome.elapsedMs, stop, workers: [...outcome.workers] }, account);
  const { generator, traffic, transport } = account;
  const warnings = [...outcome.warnings, ...observed];
  const around = { ...header, generator, generatorSamples, traffic, transport };
  const spoken = { ...settled, plan: asHeard(settled.plan, codes) };
  return { result: publishRun(spoken, { ...outcome, warnings }, around), stop: outcome.stop };
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

const describeTarget = ({
  header,
  baseUrl,
}: Pick<Prepared, 'header' | 'baseUrl'>): Omit<RunUnderWay, 'live' | 'totals'> => ({
  plan: header.plan,
  run: header.run,
  target: {
    address: baseUrl.hostname,
    port: Number(baseUrl.port) || (baseUrl.protocol === 'https:' ? 443 : 80),
    protocol: header.plan.target.protocol,
  },
});

const wordWarning = ({ message, remedy }: Warning): string => `warning: ${message} ${remedy ?? ''}`;
