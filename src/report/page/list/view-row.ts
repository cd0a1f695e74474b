import { z } from 'zod';
import { failedTurns, sumCounters } from '../../../record/counters.ts';
import { formatPerSecond, formatShare, formatRate, formatElapsed } from '../../../base/format.ts';
import { latencyText, percentileText } from '../../words/measured-text.ts';
import { oneLine } from '../../words/width.ts';
import { verdictLine } from '../../run/verdict-line.ts';
import type { ListedVerdict, ListRow, RunUnderWay } from './list.ts';
import type { RowLocation } from './listed-kinds.ts';
import { resultSchema } from '../../../result/result.ts';
import type { IntervalEntry, JournalHeader } from '../../../result/journal/journal.ts';

export function viewRow(place: RowLocation, result: ListedResult): ListRow {
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
      firstToken: tailText(latency.firstToken),
      turn: tailText(latency.turn),
      failed: formatShare(finished === 0 ? null : failed / finished),
      rate: rates.turnsPerSecond === null ? '-' : formatPerSecond(rates.turnsPerSecond),
    },
  };
}

/** Builds the row of an unreadable file. `problem` continues a sentence that starts with the file name. */
export function viewUnreadable(
  place: RowLocation,
  { problem, hint }: { problem: string; hint: string },
  at: string,
): ListRow {
  const reason = `${place.file} ${problem}. ${hint}`;
  return { ...place, ...ofNoRun, document: 'result', at, scenario: '', label: '', verdict: 'UNREADABLE', reason };
}

/** Sorts rows, newest first; rows of the same instant by file name. */
export function newestFirst(rows: readonly ListRow[]): ListRow[] {
  return rows.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at) || (a.file < b.file ? -1 : 1));
}

/** Returns the verdict of the terminal's last line, without the examples of a result, which a list does not read. */
function verdictOf(result: ListedResult): Pick<ListRow, 'verdict' | 'reason'> {
  const line = splitVerdict(verdictLine({ ...result, examples: [] }));
  const hasPassed = line.verdict === 'PASSED';
  const verdict = hasPassed && result.validity.verdict === 'degraded' ? 'DEGRADED' : line.verdict;
  const reason = line.reason.replace(/^but degraded: /, '');
  const isRecovered = hasPassed && result.run.status === 'recovered';
  const whole = isRecovered ? `recovered from a journal${reason === '' ? '' : `; ${reason}`}` : reason;
  return { verdict, reason: oneLine(whole, maxReasonLength) };
}

type Git = NonNullable<ListedResult['environment']>['git'];

const commitText = (git: Git): string =>
  git === null ? '' : `${git.commit.slice(0, 10)}${git.dirty ? ', with changes' : ''}`;

/** Returns the p95, or the median or the maximum of a run that is too short for it; doubtful figures are marked. */
function tailText(summary: ListedResult['latency']['turn']): string {
  const { count, maxMs, p50Ms, p95Ms } = summary;
  if (count === 0 || p95Ms !== null) return percentileText(summary, 'p95Ms');
  return p50Ms === null ? `max ${latencyText(summary, maxMs)}` : `p50 ${percentileText(summary, 'p50Ms')}`;
}

/** Columns that only runs fill. */
export const ofNoRun = { run: '', commit: '', figures: { firstToken: '-', turn: '-', failed: '-', rate: '-' } };

/** Returns the verdict and the reason of a document's last line, as a row shows them. */
export function readLine(line: string): Pick<ListRow, 'verdict' | 'reason'> {
  const { verdict, reason } = splitVerdict(line);
  return { verdict, reason: oneLine(reason, maxReasonLength) };
}

/** Splits the terminal's last line, `FAILED: reason`. */
function splitVerdict(line: string): Pick<ListRow, 'verdict' | 'reason'> {
  const [, word, reason = ''] = /^(\w+)(?:[:,] (.*))?$/s.exec(line) ?? [];
  return { verdict: word as ListedVerdict, reason };
}

const maxReasonLength = 160;

const { latency, rates, scenario, ...shape } = resultSchema.shape;

const tailFields = { count: true, maxMs: true, p50Ms: true, p95Ms: true, errorMs: true } as const;

/** Parts of a result that a list shows; other parts are not read, because a list reads thousands of results. */
export const listedResultSchema = resultSchema.pick({ kind: true, schemaVersion: true, run: true }).extend({
  scenario: scenario.pick({ name: true }),
  environment: shape.environment,
  books: shape.books,
  outcomes: shape.outcomes,
  latency: z.object({
    turn: latency.shape.turn.pick({ ...tailFields, resolutionMs: true }),
    firstToken: latency.shape.firstToken.pick(tailFields),
  }),
  rates: rates.pick({ turnsPerSecond: true }),
  integrity: shape.integrity,
  gates: shape.gates,
  validity: shape.validity,
});

export type ListedResult = z.infer<typeof listedResultSchema>;

interface JournalState {
  header: JournalHeader;
  /** Last interval; undefined before the first. */
  entry: IntervalEntry | undefined;
  /** Time since the last write. */
  silentMs: number;
  path: string;
}

export function viewRunUnderWay(
  place: Pick<RunUnderWay, 'folder' | 'file' | 'address' | 'isSilent'>,
  journal: JournalState,
): RunUnderWay {
  const { run, plan } = journal.header;
  return {
    ...place,
    scenario: oneLine(plan.name),
    label: oneLine(run.label ?? ''),
    startedAt: run.startedAt,
    state: place.isSilent ? silentText(journal) : stateText(journal),
  };
}

function stateText({ header: { plan }, entry }: JournalState): string {
  if (entry === undefined) return 'has just started';
  const { elapsedMs, piece } = entry;
  const { turns } = sumCounters(piece.intervals.map(({ counters }) => counters));
  const planned = plan.durationMs === null ? '' : ` of ${formatElapsed(plan.durationMs)}`;
  // Each snapshot covers one second.
  return `${formatElapsed(elapsedMs)}${planned}; ${formatRate(turns.ok + failedTurns(turns), 'turn')}`;
}

const silentText = ({ silentMs, path }: JournalState): string =>
  `has written nothing for ${formatElapsed(silentMs)}. If it has died: chat-load recover ${path}`;
