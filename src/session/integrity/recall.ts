import { ms, type Ms } from '../../base/time.ts';

/** The state of a session's code since it was sent, or last recalled. */
export interface Recall {
  /** When it was sent or last recalled; sent in turn 1. */
  sinceTurn: number;
  retries: number;
  /** The longest time between a turn's end and the next one's send. */
  idleMs: Ms;
}

export function newRecall(): Recall {
  return { sinceTurn: 1, retries: 0, idleMs: ms(0) };
}

/** The words for a code that was not repeated. */
export function wordRecall({ sinceTurn, retries, idleMs }: Recall, turn: number): string {
  const since = sinceTurn === 1 ? '' : ` and repeated in turn ${String(sinceTurn)}`;
  const parts = [
    `${counted(turn - sinceTurn, 'turn')} later`,
    ...(retries === 0 ? [] : [`${counted(retries, 'retry', 'retries')} in between`]),
    ...(idleMs < 100 ? [] : [`idle ${String(Math.round(idleMs / 100) / 10)} s`]),
  ];
  return `the code given in turn 1${since} is missing (${parts.join(', ')})`;
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${String(count)} ${count === 1 ? one : many}`;
