import { isBuiltIn } from '../../../app/built-in/built-in-scenario.ts';
import { performCapacity, type PerformedCapacity } from '../run/perform-capacity.ts';
import { resolveSearch, type ResolvedSearch } from '../run/resolve-search.ts';
import { placeResult } from '../../../app/run/record-run.ts';
import type { Stops } from '../../../app/run/ports.ts';
import { printable } from '../../../base/printable.ts';
import type { Beat, StepOrder } from '../judge/player.ts';
import type { Capacity } from '../document/capacity.ts';
import { capacityFileName } from '../publish/file-name.ts';
import { outcomeVerdicts } from '../words/summarize.ts';
import { prepareFolder } from '../../../edge/disk/write-result.ts';
import type { Plan } from '../../../plan/plan.ts';
import { isAnonymous } from '../../../plan/resolve-auth.ts';
import type { ResolvedScenario } from '../../../plan/resolve-scenario.ts';
import { describeRefusedKey } from '../../../protocol/refused-key.ts';
import { capacityVerdictLine } from '../report/outcome-text.ts';
import { searchOutline } from '../report/search-outline.ts';
import { endedStepLine, underWayLine } from '../report/step-text.ts';
import type { Format } from '../../../report/documents.ts';
import { failedLine } from '../../../report/words/last-line.ts';
import { signalExitCodes, type SignalName } from '../../../result/exit-code.ts';
import {
  concludeWrite,
  deliver,
  prepareReports,
  readFormat,
  readReportFiles,
  type ReportFile,
} from '../../../cli/console/deliver.ts';
import { reportError, stderr, stdout } from '../../../cli/console/terminal.ts';
import { withStatus, type Status } from '../../../cli/console/screen.ts';
import { watchStrays } from '../../../cli/console/stray-code.ts';
import type { capacityOptions } from './capacity-options.ts';
import type { Given } from '../../../cli/parser/options.ts';
import type { ValuesOf } from '../../../cli/parser/rows.ts';
import { readFleet } from '../../../cli/perform/read-fleet.ts';
import { resolveScenarioFile, withScenario } from '../../../cli/perform/resolve-scenario-file.ts';

type CapacityArguments = Given<'prompts'> & ValuesOf<typeof capacityOptions> & { scenario: string | undefined };

export async function performSearch(given: CapacityArguments): Promise<number> {
  const format = readFormat(given);
  const reports = readReportFiles(given.report, 'chat-load/capacity');
  const args = await withScenario({ ...given }, { command: 'capacity', sendsNothing: given['dry-run'] });
  const resolved = await resolveScenarioFile({ ...args });
  // The gates of a run without a file are not objectives: only its user knows the acceptable latency.
  const { plan } = resolved;
  const author = isBuiltIn(args.scenario) ? { ...resolved, plan: { ...plan, gates: {} } } : resolved;
  const { objective: objectives, 'max-step': maxStepMs, pause: restMs, ...range } = given;
  const search = await resolveSearch(author, { ...range, objectives, maxStepMs, restMs });
  const fleet = readFleet({ ...args }, { plan: atMaxLoad(resolved, search), note: (text) => stderr.note(text) });
  const { width } = args['dry-run'] ? stdout : stderr;
  const outline = searchOutline({ ...search, plan: resolved.plan, cores: fleet?.count ?? 1 }, width);
  if (args['dry-run']) {
    outline.forEach((line) => stdout.note(line));
    return 0;
  }
  await prepareFolder(args.out);
  await prepareReports(reports);
  if (!args.quiet) outline.forEach((line) => stderr.note(line));
  return withStatus('searching', signalNotes, async (status, stops) => {
    const strays = watchStrays(resolved.plan.name);
    try {
      const performed = await performCapacity(resolved, search, {
        label: args.label ?? null,
        stops,
        strayFailed: strays.failed,
        fleet,
        note: status.note,
        ...(args.quiet ? {} : follow(search, status)),
      });
      status.stop();
      return await publish(performed, { ...args, format, reports, target: plan.target }, stops);
    } finally {
      strays.release();
    }
  });
}

/** Returns the plan of the maximum load, which limits the number of processes. */
function atMaxLoad({ plan }: ResolvedScenario, { settings: { by, max } }: ResolvedSearch): ResolvedScenario['plan'] {
  if (by === 'rate') return { ...plan, sessions: null };
  const level = { startMs: plan.warmUpMs, endMs: null, from: max, to: max };
  return {
    ...plan,
    sessions: null,
    load: { model: 'closed', segments: [level], maxTurnsInFlight: plan.load.maxTurnsInFlight },
  };
}

/** Notes at the first and at later signals, which end the current step and the search. */
const signalNotes = [
  'Stopping: no more load is sent; partial results are written. A second signal cuts active sessions.',
  'Cutting active sessions; partial results are still written.',
] as const;

function follow({ settings: { by } }: ResolvedSearch, { note, notify }: Pick<Status, 'note' | 'notify'>) {
  let turns = 0;
  return {
    onBeat: ({ number, load, by: unit }: StepOrder, beat: Beat): void => {
      turns = beat.startMs === 0 ? beat.turns : turns + beat.turns;
      notify(underWayLine({ number, load, by: unit, turns, beat }));
    },
    onStep: (step: Capacity['steps'][number]): void => note(endedStepLine(step, by)),
  };
}

interface Printing extends Pick<CapacityArguments, 'out' | 'quiet' | 'json'> {
  format: Format;
  reports: readonly ReportFile[];
  target: Plan['target'];
}

async function publish(
  performed: PerformedCapacity,
  { out, quiet, json, target, ...printing }: Printing,
  stops: Stops,
): Promise<number> {
  const { document } = performed;
  const name = capacityFileName(document);
  const placed = await placeResult(document, { folder: out, name });
  const found = { code: codeOf(performed, target, stops.signal()), line: capacityVerdictLine(document) };
  const { path } = placed;
  const { code } = await deliver(document, {
    ...printing,
    isCompact: json,
    path,
    brief: quiet
      ? [`target    ${document.scenario.target ?? 'embedded reference service'}`, `document  ${path}`]
      : undefined,
    // The last line reports a misplaced document, regardless of the exit code.
    concluded: {
      ...concludeWrite(found, placed, 'document'),
      ...(placed.misplaced && { line: failedLine(placed.misplaced.message) }),
    },
    isSummarized: true,
    showsLatest: true,
  });
  return code;
}

/** Returns the exit code of a search; prints the reason of its end on standard error. */
function codeOf({ document, stop }: PerformedCapacity, target: Plan['target'], signal: SignalName | undefined): number {
  if (signal !== undefined) return signalExitCodes[signal];
  if (stop !== undefined && 'error' in stop) return reportError(stop.error);
  if (stop !== undefined && 'why' in stop) {
    const refused = { seen: stop.why, isAnonymous: isAnonymous(target) };
    const what = stop.kind === 'circuit' ? describeRefusedKey(refused) : stop.why;
    stderr.line(`${stderr.colors.red('error')} ${printable(what)}`);
  }
  const { outcome } = document;
  if (outcome === 'interrupted') return signalExitCodes.SIGINT;
  if (outcome === 'stopped') return 3;
  return { passed: 0, failed: 1, invalid: 4 }[outcomeVerdicts[outcome]];
}
