import { measuredLedger } from '../../result/books/books.ts';
import type { Result } from '../../result/result.ts';
import { countOf, formatCount, formatPerSecond } from '../words/format.ts';
import { paragraph } from '../words/paragraph.ts';
import type { Style } from '../words/table.ts';

type Sessions = Result['books']['sessions'];
type Turns = Result['books']['turns'];

/** What became of sessions and turns, after the warm-up as every figure beside it; and what the warm-up held. */
export function ledgerLines(result: Result, { width }: Style): string[] {
  const { books, rates } = result;
  const { sessions, turns } = measuredLedger(books);
  const rate = rates.turnsPerSecond === null ? '-' : formatPerSecond(rates.turnsPerSecond);
  const text = `${formatCount(turns.ok)} ok, ${formatCount(turns.failed)} failed of ${allTurns(result, sessions, turns)}; ${rate}`;
  return [
    paragraph(`${sessionParts(sessions)} of ${allSessions(result, sessions)}`, { width, first: 'sessions  ' }),
    paragraph(text, { width, first: 'turns     ' }),
    ...unsentLines(turns, width),
    ...warmUpLines(books, width),
  ];
}

/** With only a duration no number was planned; for a run that died, only what had begun is known. */
function allSessions({ books, scenario: { plan } }: Result, { started, planned }: Sessions): string {
  if (books.balanced === null) return `${formatCount(started)} started`;
  const word = plan.load.model === 'open' ? 'due' : 'started';
  return `${formatCount(planned)} ${plan.sessions === null ? word : 'planned'}`;
}

/** The number of turns of a session that was never created is unknown. */
function allTurns({ books }: Result, { created, planned: sessions }: Sessions, { sent, planned }: Turns): string {
  if (books.balanced === null) return `${formatCount(sent)} sent`;
  return `${formatCount(planned)} planned${created < sessions ? ' in created sessions' : ''}`;
}

function sessionParts(sessions: Sessions): string {
  const words = {
    completed: 'completed',
    failed: 'failed',
    cut: 'cut',
    create_failed: 'not created',
    create_cut: 'cut while created',
    dropped: 'dropped',
    not_started: 'not started',
    lost: 'lost',
  } as const;
  const names = Object.keys(words) as (keyof typeof words)[];
  return names
    .filter((name) => name === 'completed' || sessions[name] > 0)
    .map((name) => `${formatCount(sessions[name])} ${words[name]}`)
    .join(', ');
}

/** What became of the turns that did not end; nothing if there are none. */
function unsentLines(turns: Turns, width: number): string[] {
  const parts = [
    [turns.skipped_prior_failure, 'skipped after a failure'],
    [turns.skipped_run_end, 'skipped at the end'],
    [turns.aborted, 'aborted'],
    [turns.abandoned, 'left before the reply was complete'],
    [turns.lost, 'lost with their shard'],
  ] as const;
  const seen = parts.filter(([count]) => count > 0).map(([count, words]) => `${formatCount(count)} ${words}`);
  return seen.length === 0 ? [] : [paragraph(seen.join(', '), { width, first: ' '.repeat(10) })];
}

function warmUpLines({ warmUp: { sessions, turns } }: Result['books'], width: number): string[] {
  if (sessions.started === 0) return [];
  const created = sessions.create_failed === 0 ? '' : `, ${formatCount(sessions.create_failed)} of them not created`;
  const ended = `${countOf(turns.ok, 'turn')} ok and ${formatCount(turns.failed)} failed`;
  const text = `${countOf(sessions.started, 'session')}${created}, ${ended}: not in these figures`;
  return [paragraph(text, { width, first: 'warm-up   ' })];
}
