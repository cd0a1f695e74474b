import { failedTurns } from '../../../record/counters.ts';
import { formatMs, formatPerSecond, formatShare } from '../../words/format.ts';
import { verdictLine } from '../../run/verdict-line.ts';
import type { ListedResult } from './listed-result.ts';
import type { ListRow } from './list.ts';
import { shortReason, splitVerdict } from './split-verdict.ts';

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
    figures: { turnP95: '-', failed: '-', rate: '-' },
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
