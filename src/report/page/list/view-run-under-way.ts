import { failedTurns, sumCounters } from '../../../record/counters.ts';
import type { IntervalEntry, JournalHeader } from '../../../result/journal/journal.ts';
import { countOf, formatElapsed } from '../../words/format.ts';
import { oneLine } from '../../words/one-line.ts';
import type { RunUnderWay } from './list.ts';

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
