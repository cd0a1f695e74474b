import type { Tree } from '../figures.ts';
import type { Fact } from '../oracle/facts.ts';
import { Tally } from './tally.ts';

/** Events of each second; the warm-up and the measured part are separate. */
export function intervalsOf(facts: readonly Fact[], warmUpMs: number): Tree {
  const bySecond = new Map<string, Fact[]>();
  for (const fact of facts) {
    const key = secondOf(fact.at, fact.from < warmUpMs);
    const there = bySecond.get(key);
    if (there === undefined) bySecond.set(key, [fact]);
    else there.push(fact);
  }
  return Object.fromEntries([...bySecond].map(([second, those]) => [second, contentOf(new Tally(those))]));
}

/** The name of an interval. */
export function secondOf(atMs: number, isWarmUp: boolean): string {
  return `${String(Math.floor(atMs / 1000))} s${isWarmUp ? ' (warm-up)' : ''}`;
}

const ends = ['completed', 'failed', 'cut', 'create_failed', 'create_cut'];

const contentOf = (tally: Tally): Tree => ({
  'turns.sent': tally.count('turn.sent'),
  'turns.ok': tally.count('turn.ok'),
  'turns.failed': tally.count('turn.failed'),
  'turns.good': tally.count('turn.good'),
  attempts: tally.sum('attempt.'),
  retries: tally.sum('retry.'),
  createAttempts: tally.sum('create.attempt.'),
  'sessions.started': tally.count('session.started'),
  'sessions.created': tally.count('session.created'),
  'sessions.createFailed': tally.count('session.create_failed'),
  'sessions.ended': ends.reduce((sum, end) => sum + tally.count(`session.${end}`), 0),
});
