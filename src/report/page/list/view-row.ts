import { z } from 'zod';
import type { CapacityComparison } from '../../../capacity/compare/capacity-comparison.ts';
import { failedTurns, sumCounters } from '../../../record/counters.ts';
import { formatMs, formatPerSecond, formatShare, countOf, formatElapsed } from '../../../base/format.ts';
import { capacityComparisonLine } from '../../comparison/comparison-ends.ts';
import { capacityVerdictLine } from '../../capacity/outcome-words.ts';
import { oneLine } from '../../words/width.ts';
import { verdictLine } from '../../run/verdict-line.ts';
import type { ListedVerdict, ListRow, RunUnderWay } from './list.ts';
import { capacitySchema } from '../../../capacity/document/capacity.ts';
import { resultSchema } from '../../../result/result.ts';
import type { IntervalEntry, JournalHeader } from '../../../result/journal/journal.ts';

/** Where a result is: its folder by number. */
export type Place = Pick<ListRow, 'id' | 'folder' | 'file'>;

/** The row of a result. */
export function viewRow(place: Place, result: ListedResult): ListRow {
  const { run, scenario, environment, outcomes, latency, rates } = result;
  const failed = failedTurns(outcomes.turns);
  const finished = outcomes.turns.ok + failed;
  return {
    ...place,
    document: 'result',
    run: run.id,
    at: run.startedAt,
    scenario: scenario.name,
    label: run.label ?? '',
    commit: commitText(environment?.git ?? null),
    ...verdictOf(result),
    figures: {
      turnP95: formatMs(latency.turn.p95Ms),
      failed: formatShare(finished === 0 ? null : failed / finished),
      rate: rates.turnsPerSecond === null ? '-' : formatPerSecond(rates.turnsPerSecond),
    },
  };
}

/** The row of a file that cannot be read. `problem` follows its name. */
export function viewUnreadable(
  place: Place,
  { problem, hint }: { problem: string; hint: string },
  at: string,
): ListRow {
  return {
    ...place,
    document: 'result',
    run: '',
    at,
    scenario: '',
    label: '',
    commit: '',
    verdict: 'UNREADABLE',
    reason: `${place.file} ${problem}. ${hint}`,
    figures: noFigures,
  };
}

/** The newest first; of one instant, by their files. */
export function newestFirst(rows: readonly ListRow[]): ListRow[] {
  return rows.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at) || (a.file < b.file ? -1 : 1));
}

/** As the last line of the terminal has it; without the examples of a result, which a list does not read. */
function verdictOf(result: ListedResult): Pick<ListRow, 'verdict' | 'reason'> {
  const line = splitVerdict(verdictLine({ ...result, examples: [] }));
  const hasPassed = line.verdict === 'PASSED';
  const verdict = hasPassed && result.validity.verdict === 'degraded' ? 'DEGRADED' : line.verdict;
  const reason = line.reason.replace(/^but degraded: /, '');
  const isRecovered = hasPassed && result.run.status === 'recovered';
  const told = isRecovered ? `recovered from a journal${reason === '' ? '' : `; ${reason}`}` : reason;
  return { verdict, reason: shortReason(told) };
}

type Git = NonNullable<ListedResult['environment']>['git'];

const commitText = (git: Git): string =>
  git === null ? '' : `${git.commit.slice(0, 10)}${git.dirty ? ', with changes' : ''}`;

const noFigures = { turnP95: '-', failed: '-', rate: '-' };

/** What a run has and a search has not. */
const ofNoRun = { run: '', commit: '', figures: noFigures };

/** The row of a capacity: its reason is the answer. */
export function viewCapacityRow(place: Place, capacity: ListedCapacity): ListRow {
  return {
    ...place,
    ...ofNoRun,
    document: 'capacity',
    at: capacity.startedAt,
    scenario: capacity.scenario.name,
    label: capacity.label ?? '',
    ...readLine(capacityVerdictLine(capacity)),
  };
}

/** The row of two capacities compared, placed by the newest search in it. */
export function viewCapacitiesRow(place: Place, comparison: CapacityComparison): ListRow {
  const { base, head, scenario } = comparison;
  const starts = [...base.searches, ...head.searches].map(({ startedAt }) => startedAt);
  return {
    ...place,
    ...ofNoRun,
    document: 'comparison',
    at: starts.toSorted((a, b) => Date.parse(a) - Date.parse(b)).at(-1) ?? '',
    scenario: scenario.name,
    label: `${head.label} against ${base.label}`,
    ...readLine(capacityComparisonLine(comparison)),
  };
}

function readLine(line: string): Pick<ListRow, 'verdict' | 'reason'> {
  const { verdict, reason } = splitVerdict(line);
  return { verdict, reason: shortReason(reason) };
}

/** The verdict and its reason out of the last line of a document in the terminal: `FAILED: why`. */
function splitVerdict(line: string): Pick<ListRow, 'verdict' | 'reason'> {
  const [, word, reason = ''] = /^(\w+)(?:[:,] (.*))?$/s.exec(line) ?? [];
  return { verdict: word as ListedVerdict, reason };
}

const maxReasonLength = 160;

/** A reason as long as a list has room for. */
function shortReason(text: string): string {
  return oneLine(text, maxReasonLength);
}

const { latency, rates, scenario, ...whole } = resultSchema.shape;

/** What a list shows of a result, and no more: thousands are read for one. */
export const listedResultSchema = resultSchema.pick({ kind: true, schemaVersion: true, run: true }).extend({
  scenario: scenario.pick({ name: true }),
  environment: whole.environment,
  books: whole.books,
  outcomes: whole.outcomes,
  latency: z.object({ turn: latency.shape.turn.pick({ p95Ms: true }) }),
  rates: rates.pick({ turnsPerSecond: true }),
  integrity: whole.integrity,
  gates: whole.gates,
  validity: whole.validity,
});

export type ListedResult = z.infer<typeof listedResultSchema>;

/** What a list shows of a search for a capacity. */
export const listedCapacitySchema = capacitySchema
  .pick({ kind: true, schemaVersion: true, label: true, startedAt: true, outcome: true, summary: true })
  .extend({ scenario: capacitySchema.shape.scenario.pick({ name: true }) });

type ListedCapacity = z.infer<typeof listedCapacitySchema>;

/** What the journal of a run shows. */
interface Seen {
  header: JournalHeader;
  /** The last interval; `undefined`: there is none yet. */
  entry: IntervalEntry | undefined;
  /** Since the journal was written to. */
  silentMs: number;
  /** Of the journal. */
  path: string;
}

/** A run that has not ended, as far as its journal shows. */
export function viewRunUnderWay(
  place: Pick<RunUnderWay, 'folder' | 'file' | 'address' | 'isSilent'>,
  seen: Seen,
): RunUnderWay {
  const { run, plan } = seen.header;
  return {
    ...place,
    scenario: oneLine(plan.name),
    label: oneLine(run.label ?? ''),
    startedAt: run.startedAt,
    state: place.isSilent ? silentText(seen) : stateText(seen),
  };
}

function stateText({ header: { plan }, entry }: Seen): string {
  if (entry === undefined) return 'has just started';
  const { elapsedMs, piece } = entry;
  const { turns } = sumCounters(piece.intervals.map(({ counters }) => counters));
  const planned = plan.durationMs === null ? '' : ` of ${formatElapsed(plan.durationMs)}`;
  const ended = countOf(turns.ok + failedTurns(turns), 'turn');
  return `${formatElapsed(elapsedMs)}${planned}; ${ended} in the last second that its journal has`;
}

const silentText = ({ silentMs, path }: Seen): string =>
  `has written nothing for ${formatElapsed(silentMs)}. If it has died: chat-load recover ${path}`;
