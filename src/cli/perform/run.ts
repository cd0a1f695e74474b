import { viewPlan } from '../../app/plan-view.ts';
import { checkSockets } from '../../app/run/check-settled.ts';
import type { RunPorts } from '../../app/run/ports.ts';
import { recordRun, type Recorded, type RunPlace, repeatRuns } from '../../app/run/record-run.ts';
import { ChatLoadError, messageOf } from '../../base/errors.ts';
import { printableJson } from '../../base/printable.ts';
import { prepareFolder } from '../../edge/disk/write-result.ts';
import type { Settled } from '../../plan/settle.ts';
import { checkShards } from '../../plan/shard.ts';
import type { Format } from '../../report/documents.ts';
import { runLine } from '../../report/run/verdict-line.ts';
import { targetLine } from '../../report/words/target-text.ts';
import { failedLine } from '../../report/words/last-line.ts';
import { signalExitCodes } from '../../result/exit-code.ts';
import {
  concludeRun,
  worstConclusion,
  type Conclusion,
  deliver,
  prepareReports,
  printDocument,
  readFormat,
  readReportFiles,
  summarize,
  type ReportFile,
} from '../console/deliver.ts';
import { reportError } from '../console/report-error.ts';
import { openScreen, takeSignals } from '../console/screen.ts';
import { watchStrays } from '../console/stray-code.ts';
import { stderr, stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { followLive, readLivePlace, type Follower, openMetrics, readMetricsFlags } from './follow-run.ts';
import { readFleet } from './read-fleet.ts';
import { settleScenario } from './settle-scenario.ts';
import { withScenario } from './without-file.ts';

type GivenRun = Given<'prompts'> & Given<'metrics'> & Given<'fleet'> & Given<'run'> & { scenario: string | undefined };

/** Arguments with a scenario: a file, or the built-in one. */
type RunArguments = GivenRun & { scenario: string };

/** Performs the requested runs and returns the exit code. Throws a usage error for contradictory arguments. */
export async function performRuns(given: GivenRun): Promise<number> {
  const read = { ...given, format: readFormat(given) };
  requireOneRun(read);
  const livePlace = readLivePlace(read);
  const reports = readReportFiles(read.report, 'chat-load/result');
  readMetricsFlags(read);
  const screen = openScreen(read.quiet);
  const args = await withScenario({ ...read }, { command: 'run', sendsNothing: read['dry-run'] });
  const settled = await settleScenario({ ...args });
  const fleet = readFleet(args, { plan: settled.plan, note: (text) => screen.note(text) });
  await prepareFolder(args.out);
  await prepareReports(reports);
  if (fleet !== undefined) checkShards(settled.plan, fleet.count);
  if (args['dry-run']) return showPlan(settled, args.json);
  const metrics = await openMetrics(args, (text) => screen.note(text));
  const stops = takeSignals((text) => screen.note(text));
  try {
    const ports = { screen, stops, watchStrays, observers: metrics.exporters, fleet };
    if (args.repeat > 1) return await runRepeatedly(repeating(settled, args, ports), args);
    const once = { ...args, reports };
    return livePlace === undefined
      ? await runOnce(settled, once, ports)
      : await followLive(livePlace, ports, (following) => runOnce(settled, once, following));
  } catch (thrown) {
    // A signal arrived before the shards were ready.
    const signal = stops.signal();
    if (signal === undefined || !(thrown instanceof ChatLoadError)) throw thrown;
    reportError(thrown);
    return signalExitCodes[signal];
  } finally {
    stops.release();
    await metrics.close();
  }
}

type ReadArguments = RunArguments & { format: Format };

/** Throws a usage error if `--repeat` is combined with a report or a format for one run. */
function requireOneRun({ repeat, format, json, report }: GivenRun & { format: Format }): void {
  if (repeat === 1 || ((format === 'terminal' || json) && report.length === 0)) return;
  throw new ChatLoadError('usage', {
    message: `${report.length > 0 ? '--report' : '--format'} is for one run, not for --repeat ${String(repeat)}.`,
    hint: 'Render the results afterwards: chat-load report FILE ... --report PAGE.html; --json prints each result when its run ends.',
  });
}

async function showPlan(settled: Settled, asJson: boolean): Promise<number> {
  await checkSockets(settled);
  const view = await viewPlan(settled);
  await printDocument(view, asJson ? 'json' : 'terminal');
  return 0;
}

/** Returns the runs of `--repeat`; run i uses the seed of the scenario + i - 1. */
const repeating = (first: Settled, args: RunArguments, ports: RunPorts) => ({
  ...ports,
  count: args.repeat,
  place: placeOf(args),
  settle: async (index: number) => (index === 0 ? first : settleScenario({ ...args, seed: first.plan.seed + index })),
});

async function runOnce(
  settled: Settled,
  { format, json, quiet, reports, ...args }: ReadArguments & { reports: readonly ReportFile[] },
  around: RunPorts & Follower,
): Promise<number> {
  const recorded = await recordRun(settled, { ...placeOf(args), sitting: null }, around);
  const { result, path } = recorded;
  around.ended?.(path);
  const concluded = concludeRun(recorded, around.stops);
  await summarize(result, concluded.line);
  const { code } = await deliver(result, {
    format: json ? 'terminal' : format,
    isCompact: json,
    path,
    brief: quiet ? [targetLine(result), `result    ${path}`] : undefined,
    reports,
    concluded,
  });
  return code;
}

const placeOf = (args: Pick<RunArguments, 'label' | 'out' | 'keep-journal'>): Omit<RunPlace, 'sitting'> => ({
  label: args.label ?? null,
  pair: null,
  out: args.out,
  journal: args['keep-journal'] ? 'kept' : 'until_result',
});

type Repeating = Omit<Parameters<typeof repeatRuns>[0], 'ended' | 'failed'>;

/** Performs one batch of runs and prints the outcome of each, then the worst one. Returns the exit code. */
async function runRepeatedly(repeating: Repeating, { json }: { json: boolean }): Promise<number> {
  const conclusions: Conclusion[] = [];
  const { runs, endedEarly } = await repeatRuns({
    ...repeating,
    ended: async (name, recorded) => {
      printOne({ name, recorded, isFirst: conclusions.length === 0 }, json);
      const { code, line } = concludeRun(recorded, repeating.stops);
      await summarize(recorded.result, line);
      if (!json && code !== 0) stdout.note(`  ${line}`);
      conclusions.push({ code, line: line.replace(': ', `: ${name}: `) });
    },
    failed: (name, thrown) =>
      conclusions.push({ code: reportError(thrown), line: failedLine(`${name}: ${messageOf(thrown)}`) }),
  });
  if (endedEarly !== undefined) reportCount({ runs, count: repeating.count }, endedEarly);
  const worst = worstConclusion(conclusions);
  const failed = conclusions.filter(({ code }) => code !== 0).length;
  const others = failed > 1 ? `; ${String(failed)} of ${String(conclusions.length)} runs did not pass` : '';
  if (!json && worst !== undefined) stdout.note(worst.line + others);
  return worst?.code ?? 0;
}

function printOne({ name, recorded, isFirst }: { name: string; recorded: Recorded; isFirst: boolean }, json: boolean) {
  if (json) return stdout.line(printableJson(recorded.result));
  if (isFirst) stdout.note(targetLine(recorded.result));
  stdout.line(runLine(name, recorded, stdout));
}

function reportCount({ runs, count }: { runs: number; count: number }, why: string): void {
  stderr.note(`Stopped after ${String(runs)} of ${String(count)} runs: ${why}.`);
}
