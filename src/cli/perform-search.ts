import { performCapacity, type PerformedCapacity } from '../app/capacity/perform-capacity.ts';
import { settleSearch, type SettledSearch } from '../app/capacity/settle-search.ts';
import { placeResult, type Placed } from '../app/run/place-result.ts';
import type { Settled } from '../plan/settle.ts';
import type { Beat } from '../capacity/beat.ts';
import type { Capacity } from '../capacity/document/capacity.ts';
import type { StepOrder } from '../capacity/player.ts';
import { outcomeVerdicts } from '../capacity/words/outcome-verdict.ts';
import { prepareFolder } from '../edge/disk/write-result.ts';
import { messageOf } from '../base/errors.ts';
import { printable, printableJson, printableLines } from '../base/printable.ts';
import { wordRefusedKey } from '../protocol/refused-key.ts';
import { capacityVerdictLine } from '../report/capacity/capacity-verdict-line.ts';
import { searchOutline } from '../report/capacity/search-outline.ts';
import { endedStepLine, underWayLine } from '../report/capacity/step-line.ts';
import type { Format } from '../report/formats.ts';
import { failedLine } from '../report/words/last-line.ts';
import { signalExitCodes, worstExitCode, type SignalName } from '../result/exit-code.ts';
import { capacityFileName } from '../result/file-name.ts';
import { readRequest, type CapacityArguments } from './capacity-arguments.ts';
import { readFleet } from './fleet-flags.ts';
import { readFormat } from './flags.ts';
import { openStatus } from './open-status.ts';
import { documentText, printDocument } from './print-document.ts';
import { prepareReports, readReportFiles, writeReports } from './report-files.ts';
import { reportError } from './report-error.ts';
import { settleScenario } from './scenario-arguments.ts';
import { takeSignals, type TakenSignals } from './signals.ts';
import { isBuiltIn } from '../app/built-in/built-in-scenario.ts';
import { withScenario } from './without-file.ts';
import { watchStrays } from './stray-code.ts';
import { stderr, stdout } from './terminal.ts';
import { appendStepSummary } from '../edge/disk/step-summary.ts';

/** Searches a capacity as `capacity` was asked to; the exit code is set. */
export async function performSearch(given: CapacityArguments): Promise<void> {
  const format: Format = readFormat(given);
  const request = readRequest(given);
  readReportFiles(given.report, 'chat-load/capacity');
  const args = await withScenario({ ...given }, { command: 'capacity', sendsNothing: given['dry-run'] });
  const settled = await settleScenario({ ...args });
  // The gates of a run without a file are no objectives: what a reply may take, only its user knows.
  const { plan } = settled;
  const asked = isBuiltIn(args.scenario) ? { ...settled, plan: { ...plan, gates: {} } } : settled;
  const search = await settleSearch(asked, request);
  const fleet = readFleet({ ...args }, { plan: atMost(settled, search), note: (text) => stderr.note(text) });
  const outline = searchOutline({ ...search, plan: settled.plan, cores: fleet?.count ?? 1 });
  if (args['dry-run']) return outline.forEach((line) => stdout.note(line));
  await prepareFolder(args.out);
  await prepareReports(args.report);
  if (!args.quiet) outline.forEach((line) => stderr.note(line));
  const status = openStatus('searching');
  const stops = takeSignals(sayStops(status.note));
  const strays = watchStrays(settled.plan.name);
  try {
    const performed = await performCapacity(settled, search, {
      label: args.label ?? null,
      stops,
      strayFailed: strays.failed,
      fleet,
      note: status.note,
      ...(args.quiet ? {} : follow(search, status)),
    });
    status.stop();
    process.exitCode = await publish(performed, { ...args, format }, stops);
  } finally {
    status.stop();
    strays.release();
    stops.release();
  }
}

/** The plan of the highest load: how many processes can share it. */
function atMost({ plan }: Settled, { settings: { by, most } }: SettledSearch): Settled['plan'] {
  if (by === 'rate') return { ...plan, sessions: null };
  const level = { startMs: plan.warmUpMs, endMs: null, from: most, to: most };
  return {
    ...plan,
    sessions: null,
    load: { model: 'closed', segments: [level], maxTurnsInFlight: plan.load.maxTurnsInFlight },
  };
}

/** A signal ends the step under way, and with it the search. */
const sayStops = (note: (text: string) => void) => {
  let asked = 0;
  return (): void =>
    note(
      asked++ === 0
        ? 'Stopping: nothing more is sent, and what is known so far is written. A second signal cuts what is in flight.'
        : 'Cutting what is in flight; what is known so far is still written.',
    );
};

function follow(
  { settings: { by } }: SettledSearch,
  { note, notify }: Pick<ReturnType<typeof openStatus>, 'note' | 'notify'>,
) {
  let turns = 0;
  return {
    onBeat: ({ number, load, by: unit }: StepOrder, beat: Beat): void => {
      turns = beat.startMs === 0 ? beat.turns : turns + beat.turns;
      notify(underWayLine({ number, load, by: unit, turns, beat }));
    },
    onStep: (step: Capacity['steps'][number]): void => note(endedStepLine(step, by)),
  };
}

type Printing = Pick<CapacityArguments, 'out' | 'report' | 'quiet' | 'json'> & {
  format: Format;
};

/** Writes and prints what was found, and says how it came out. */
async function publish(
  { document, stop }: PerformedCapacity,
  { out, report, quiet, json, format }: Printing,
  stops: TakenSignals,
): Promise<number> {
  const name = capacityFileName({ ...document, scenario: document.scenario.name });
  const placed = await placeResult(document, { folder: out, name });
  const codes = [codeOf(document, stop, stops.signal())];
  let verdict = capacityVerdictLine(document);
  if (placed.misplaced !== undefined) {
    sayMisplaced(placed);
    codes.push(3);
    verdict = failedLine(placed.misplaced.message);
  }
  const { path } = placed;
  for (const thrown of await writeReports(document, report, { path, verdict })) {
    codes.push(reportError(thrown));
    verdict = failedLine(messageOf(thrown));
  }
  const warning = await appendStepSummary(() => documentText(document, 'markdown', { verdict }));
  if (warning !== undefined) stderr.note(`warning ${warning}`);
  await print(document, { quiet, json, format, path, verdict });
  return worstExitCode(codes);
}

async function print(
  document: Capacity,
  { quiet, json, format, ...ending }: Pick<Printing, 'quiet' | 'json' | 'format'> & { path: string; verdict: string },
): Promise<void> {
  if (json) return stdout.line(printableJson(document));
  if (!quiet || format !== 'terminal') return printDocument(document, format, ending);
  stdout.note(`target    ${document.scenario.target ?? 'embedded reference service'}`);
  stdout.note(`document  ${ending.path}`);
  stdout.note(ending.verdict);
}

function sayMisplaced({ misplaced, path }: Placed): void {
  stderr.line(`${stderr.colors.red('error')} ${printableLines(misplaced?.message ?? '')}`);
  stderr.note(`The document was written elsewhere: ${path}`);
}

/** The exit code of a search, with what ended it on standard error. */
function codeOf({ outcome }: Capacity, stop: PerformedCapacity['stop'], signal: SignalName | undefined): number {
  if (signal !== undefined) return signalExitCodes[signal];
  if (stop !== undefined && 'error' in stop) return reportError(stop.error);
  if (stop !== undefined && 'why' in stop)
    stderr.line(
      `${stderr.colors.red('error')} ${printable(stop.kind === 'circuit' ? wordRefusedKey(stop.why) : stop.why)}`,
    );
  if (outcome === 'interrupted') return signalExitCodes.SIGINT;
  if (outcome === 'stopped') return 3;
  return { passed: 0, failed: 1, invalid: 4 }[outcomeVerdicts[outcome]];
}
