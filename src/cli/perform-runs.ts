import { ChatLoadError, messageOf } from '../base/errors.ts';
import { prepareFolder } from '../edge/disk/write-result.ts';
import type { Format } from '../report/formats.ts';
import type { Ending } from '../report/words/renderer.ts';
import { readFleet, type FleetArguments } from './fleet-flags.ts';
import { readFormat } from './flags.ts';
import { signalExitCodes } from '../result/exit-code.ts';
import type { Result } from '../result/result.ts';
import { checkShards } from '../plan/shard.ts';
import type { Settled } from '../plan/settle.ts';
import { failedLine } from '../report/words/last-line.ts';
import type { RunPorts } from '../app/run/ports.ts';
import { checkSockets } from '../app/run/check-sockets.ts';
import { concludeRun, worstConclusion, type Conclusion } from './conclude.ts';
import { viewPlan } from '../app/plan-view.ts';
import { recordRun, type RunPlace } from '../app/run/record-run.ts';
import { prepareReports, readReportFiles, writeReports } from './report-files.ts';
import { openMetrics, readMetricsFlags, type MetricsArguments } from './metrics-flags.ts';
import { reportError } from './report-error.ts';
import { settleScenario } from './scenario-arguments.ts';
import { printDocument } from './print-document.ts';
import { printRun, summarizeRun } from './print-run.ts';
import { runRepeatedly } from './run-repeatedly.ts';
import { followLive, readLivePlace, type Follower } from './live-page.ts';
import { openScreen } from './screen.ts';
import { takeSignals } from './signals.ts';
import type { PromptArguments } from './prompt-flags.ts';
import { withScenario } from './without-file.ts';
import { watchStrays } from './stray-code.ts';

export interface GivenRun extends MetricsArguments, FleetArguments, PromptArguments {
  scenario?: string | undefined;
  label: string | undefined;
  out: string;
  repeat: number;
  quiet: boolean;
  json: boolean;
  format?: Format | undefined;
  report: string[];
  live: string | undefined;
  'live-host': string;
  'keep-journal': boolean;
  'dry-run': boolean;
}

/** With the scenario that is run: a file, or the built-in one. */
type RunArguments = GivenRun & { scenario: string };

/** Makes the runs that `run` was asked for; the exit code is set. Throws a usage error for arguments that do not go together. */
export async function performRuns(given: GivenRun): Promise<void> {
  const read = { ...given, format: readFormat(given) };
  requireCount(read.repeat);
  requireOneRun(read);
  const livePlace = readLivePlace(read);
  readReportFiles(read.report);
  readMetricsFlags(read);
  const screen = openScreen(read.quiet);
  const args = await withScenario({ ...read }, { command: 'run', sendsNothing: read['dry-run'] });
  const settled = await settleScenario({ ...args });
  const fleet = readFleet(args, { plan: settled.plan, note: (text) => screen.note(text) });
  await prepareFolder(args.out);
  await prepareReports(args.report);
  if (fleet !== undefined) checkShards(settled.plan, fleet.count);
  if (args['dry-run']) return showPlan(settled, args.json);
  const metrics = await openMetrics(args, (text) => screen.note(text));
  const stops = takeSignals((text) => screen.note(text));
  try {
    const ports = { screen, stops, watchStrays, observers: metrics.exporters, fleet };
    process.exitCode =
      args.repeat > 1
        ? await runRepeatedly(repeating(settled, args, ports), args)
        : livePlace === undefined
          ? await runOnce(settled, args, ports)
          : await followLive(livePlace, ports, (following) => runOnce(settled, args, following));
  } catch (thrown) {
    // A signal that came before there was anything to drain: shards were not ready yet.
    const signal = stops.signal();
    if (signal === undefined || !(thrown instanceof ChatLoadError)) throw thrown;
    reportError(thrown);
    process.exitCode = signalExitCodes[signal];
  } finally {
    stops.release();
    await metrics.close();
  }
}

function requireCount(repeat: number): void {
  if (Number.isInteger(repeat) && repeat >= 1 && repeat <= 1000) return;
  throw new ChatLoadError('usage', {
    message: '--repeat takes a whole number from 1 to 1000.',
    hint: 'Five runs per side are a good start for a comparison: --repeat 5.',
  });
}

/** Whose format is known. */
type ReadArguments = RunArguments & { format: Format };

/** A report, and most formats, are of one run. */
function requireOneRun({ repeat, format, json, report }: GivenRun & { format: Format }): void {
  if (repeat === 1 || ((format === 'terminal' || json) && report.length === 0)) return;
  throw new ChatLoadError('usage', {
    message: `${report.length > 0 ? '--report' : '--format'} is for one run, not for --repeat ${String(repeat)}.`,
    hint: 'Render the results of several runs afterwards: chat-load report FILE --format ...; --json prints them as they come.',
  });
}

async function showPlan(settled: Settled, asJson: boolean): Promise<void> {
  await checkSockets(settled);
  const view = await viewPlan(settled);
  await printDocument(view, asJson ? 'json' : 'terminal');
}

/** Run i has the seed of the scenario + i - 1. */
const repeating = (first: Settled, args: RunArguments, ports: RunPorts) => ({
  ...ports,
  count: args.repeat,
  place: placeOf(args),
  settle: async (index: number) => (index === 0 ? first : settleScenario({ ...args, seed: first.plan.seed + index })),
});

async function runOnce(settled: Settled, args: ReadArguments, around: RunPorts & Follower): Promise<number> {
  const recorded = await recordRun(settled, { ...placeOf(args), sitting: null }, around);
  const { result, path } = recorded;
  around.ended?.(path);
  const concluded = concludeRun(recorded, around.stops);
  await summarizeRun(result, concluded.line);
  const unwritten = await tryToReport(result, args.report, { path, verdict: concluded.line });
  const { code, line } = worstConclusion([concluded, ...unwritten]) ?? concluded;
  if (args.format === 'terminal' || args.json) await printRun(recorded, args, line);
  else await printDocument(result, args.format, { path, verdict: line });
  return code;
}

/** A report that cannot be written is an error, and decides the exit code unless something worse does. */
async function tryToReport(result: Result, files: readonly string[], ending: Ending): Promise<Conclusion[]> {
  const failures = await writeReports(result, files, ending);
  return failures.map((thrown) => ({ code: reportError(thrown), line: failedLine(messageOf(thrown)) }));
}

const placeOf = (args: RunArguments): Omit<RunPlace, 'sitting'> => ({
  label: args.label ?? null,
  pair: null,
  out: args.out,
  journal: args['keep-journal'] ? 'kept' : 'until_result',
});
