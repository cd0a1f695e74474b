import { viewPlan } from '../../app/plan-view.ts';
import { checkSockets } from '../../app/run/check-resolved.ts';
import type { RunPorts } from '../../app/run/ports.ts';
import { recordRun, type RunPlace, newSitting } from '../../app/run/record-run.ts';
import { ChatLoadError, messageOf, usageError } from '../../base/errors.ts';
import { printableJson } from '../../base/printable.ts';
import { prepareFolder } from '../../edge/disk/write-result.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { checkShards } from '../../plan/shard.ts';
import type { Format } from '../../report/documents.ts';
import { runLine } from '../../report/run/verdict-line.ts';
import { targetLine } from '../../report/words/target-text.ts';
import { failedLine } from '../../report/words/last-line.ts';
import { isNormalEnd, signalExitCodes } from '../../result/exit-code.ts';
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
import { reportError, stderr, stdout } from '../console/terminal.ts';
import { openScreen, takeSignals, type TakenSignals } from '../console/screen.ts';
import { watchStrays } from '../console/stray-code.ts';
import type { Given } from '../parser/options.ts';
import { readFleet } from './read-fleet.ts';
import { resolveScenarioFile, withScenario } from './resolve-scenario-file.ts';
import type { LiveEndpoint } from '../../app/live/open-live.ts';
import { openExporters, type OpenExporters } from '../../edge/metrics/open-exporters.ts';

type GivenRun = Given<'prompts'> & Given<'metrics'> & Given<'fleet'> & Given<'run'> & { scenario: string | undefined };

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
  const resolved = await resolveScenarioFile({ ...args });
  const fleet = readFleet(args, { plan: resolved.plan, note: (text) => screen.note(text) });
  await prepareFolder(args.out);
  await prepareReports(reports);
  if (fleet !== undefined) checkShards(resolved.plan, fleet.count);
  if (args['dry-run']) {
    await checkSockets(resolved);
    await printDocument(await viewPlan(resolved), args.json ? 'json' : 'terminal');
    return 0;
  }
  const metrics = await openMetrics(args, (text) => screen.note(text));
  const stops = takeSignals((text) => screen.note(text));
  try {
    const ports = { screen, stops, watchStrays, observers: metrics.exporters, fleet };
    if (args.repeat > 1) return await runRepeatedly(resolved, args, ports);
    const once = { ...args, reports };
    return livePlace === undefined
      ? await runOnce(resolved, once, ports)
      : await followLive(livePlace, ports, (following) => runOnce(resolved, once, following));
  } catch (thrown) {
    // A signal arrived before the shards were ready.
    const signal = stops.signal();
    if (signal === undefined || !(thrown instanceof ChatLoadError)) throw thrown;
    reportError(thrown);
    if (read.format === 'terminal') stdout.note(failedLine(`stopped by ${signal} before the start`));
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
  throw usageError(
    `${report.length > 0 ? '--report' : '--format'} is for one run, not for --repeat ${String(repeat)}.`,
    'Render the results afterwards: chat-load report FILE ... --report PAGE.html; --json prints each result when its run ends.',
  );
}

async function runOnce(
  resolved: ResolvedScenario,
  { format, json, quiet, reports, ...args }: ReadArguments & { reports: readonly ReportFile[] },
  around: RunPorts & Follower,
): Promise<number> {
  const recorded = await recordRun(resolved, { ...placeOf(args), sitting: null }, around);
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

/**
 * Performs one batch of runs and prints the outcome of each, then the worst one; run i uses the seed of the scenario + i - 1.
 * Ends early if a run is stopped by something other than a limit of the scenario. Returns the exit code.
 */
async function runRepeatedly(first: ResolvedScenario, args: RunArguments, ports: RunPorts): Promise<number> {
  const { repeat: count, json } = args;
  const place = { ...placeOf(args), sitting: newSitting() };
  const conclusions: Conclusion[] = [];
  let [runs, reason] = [0, undefined as string | undefined];
  while (runs < count && reason === undefined) {
    const name = `run ${String(runs + 1)} of ${String(count)}`;
    try {
      const resolved = runs === 0 ? first : await resolveScenarioFile({ ...args, seed: first.plan.seed + runs });
      const recorded = await recordRun(resolved, place, ports);
      const { result } = recorded;
      if (json) stdout.line(printableJson(result));
      else {
        if (runs === 0) stdout.note(targetLine(result));
        stdout.line(runLine(name, recorded, stdout));
      }
      const { code, line } = concludeRun(recorded, ports.stops);
      await summarize(result, line);
      if (!json && code !== 0) stdout.note(`  ${line}`);
      conclusions.push({ code, line: line.replace(': ', `: ${name}: `) });
      runs += 1;
      const { stop } = result.run;
      if (stop !== null && !isNormalEnd(stop)) reason = stop.reason;
      else if (ports.stops.signal() !== undefined) reason = 'a signal stopped it';
    } catch (thrown) {
      conclusions.push({ code: reportError(thrown), line: failedLine(`${name}: ${messageOf(thrown)}`) });
      reason = 'the next one failed';
    }
  }
  if (runs < count)
    stderr.note(`Stopped after ${String(runs)} of ${String(count)} runs: ${String(reason).replace(/\.$/, '')}.`);
  const worst = worstConclusion(conclusions);
  const failed = conclusions.filter(({ code }) => code !== 0).length;
  const others = failed > 1 ? `; ${String(failed)} of ${String(conclusions.length)} runs did not pass` : '';
  if (!json && worst !== undefined) stdout.note(worst.line + others);
  return worst?.code ?? 0;
}

/** Observer that receives the path of the result as soon as it is written. */
interface Follower {
  ended?: (path: string) => void;
}

/** Returns the address of the live page, if requested. Throws a usage error. */
function readLivePlace({ live, 'live-host': host, repeat }: Given<'run'>): LiveEndpoint | undefined {
  if (live === undefined) return undefined;
  const port = live === '' ? 0 : Number(live);
  if (!/^\d*$/.test(live) || port > 65_535)
    throw usageError(
      `--live takes a port, not '${live}'.`,
      'Use --live 0 or --live=8080, or put --live after the scenario.',
    );
  if (repeat > 1) throw usageError(`--live follows one run, not --repeat ${String(repeat)}.`, 'Omit one of them.');
  return { host, port };
}

/** Runs with a live page, whose buttons stop the run as signals do. */
async function followLive(
  place: LiveEndpoint,
  ports: RunPorts & { stops: TakenSignals },
  perform: (ports: RunPorts & Follower) => Promise<number>,
): Promise<number> {
  const { stops, screen } = ports;
  // Loaded on demand: few runs have a live page.
  const { openLive } = await import('../../app/live/open-live.ts');
  const live = await openLive(place, {
    stops,
    press: (button) => stops.request(button, button === 'drain' ? 'Drain on the live page' : 'Cut on the live page'),
    note: (text) => screen.note(text),
  });
  let ending: Promise<void> | undefined;
  const ended = (path?: string): Promise<void> => (ending ??= live.end(path));
  try {
    return await perform({ ...ports, live, ended: (path) => void ended(path) });
  } finally {
    await ended();
  }
}

/** Reads the flags of the Prometheus endpoint. OTLP is configured by OpenTelemetry's own variables. Throws a usage error. */
function readMetricsFlags(args: Given<'metrics'>) {
  const { 'metrics-port': port, 'metrics-host': host = '127.0.0.1', 'metrics-linger': lingerMs } = args;
  if (port !== undefined) return { port, host, lingerMs: lingerMs ?? 0 };
  const given = (['metrics-host', 'metrics-linger'] as const).find((name) => args[name] !== undefined);
  if (given === undefined) return undefined;
  throw usageError(`--${given} requires --metrics-port.`, 'For example --metrics-port 9464.');
}

/** Opens the metric exporters. Close them after the last run. */
function openMetrics(args: Given<'metrics'>, note: (text: string) => void): Promise<OpenExporters> {
  return openExporters({ scrape: readMetricsFlags(args), environment: process.env, note });
}
