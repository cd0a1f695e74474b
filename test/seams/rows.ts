import { make, sorters } from 'covertable';
import { isWhole } from '../support/trials.ts';
import { factors, type Row } from './factors.ts';

/** The names of the levels of every factor. */
export const levels = Object.fromEntries(
  Object.entries(factors).map(([name, each]) => [name, Object.keys(each)]),
) as Record<keyof Row, string[]>;

const plainly: Row = {
  load: 'closed',
  extent: 'duration',
  warmUp: 'none',
  turns: 'three',
  thinkTime: 'constant',
  retry: 'plain',
  budget: 'none',
  cap: 'none',
  onFailedTurn: 'stop',
  grace: 'long',
  stopRule: 'none',
  faults: 'none',
  signals: 'none',
  turnsInFlight: 'any',
  objective: 'none',
  repeat: 'once',
  killed: 'never',
};

/** Combinations of three or more levels that random rows seldom contain. */
const chosen: readonly Partial<Row>[] = [
  { faults: 'unfitForCreations' },
  { faults: 'unfitForMessages', onFailedTurn: 'continue', thinkTime: 'none' },
  { faults: 'storm', stopRule: 'gate', load: 'open', retry: 'none' },
  { faults: 'storm', stopRule: 'gate', warmUp: 'between', retry: 'none' },
  { faults: 'storm', stopRule: 'noSuccess', onFailedTurn: 'continue', retry: 'none' },
  { faults: 'gone', stopRule: 'targetGone', load: 'open' },
  { load: 'openWait', warmUp: 'toADueInstant', retry: 'three' },
  { load: 'openWait', warmUp: 'between', cap: 'turns', retry: 'two' },
  { load: 'poissonWait', extent: 'sessions', turns: 'one', thinkTime: 'none' },
  { load: 'openWait', cap: 'sessions', faults: 'creations', retry: 'tireless' },
  { extent: 'durationFirst', stopRule: 'maxDuration', turns: 'long' },
  { extent: 'durationFirst', signals: 'drain', turns: 'long' },
  { stopRule: 'maxDuration', turns: 'long', grace: 'short', signals: 'drain' },
  { faults: 'throttling', retry: 'patient', budget: 'shortWindow', turns: 'long' },
  { faults: 'errors', retry: 'plain', turnsInFlight: 'two', thinkTime: 'none', signals: 'drainThenCut' },
];

/**
 * A covering array, in which every two levels of any two factors meet; in `npm run test:long` a second one too, so that they
 * meet twice, among others each time; and those chosen.
 */
export const rows: readonly Row[] = [
  ...(isWhole ? ['one', 'two'] : ['two']).flatMap(
    (seed) => make(levels, { sorter: sorters.hash, seed }) as unknown as Row[],
  ),
  ...chosen.map((levelsOf) => ({ ...plainly, ...levelsOf })),
];

/** Describes all pairs of levels of different factors. */
export function pairsOf(entries: readonly (readonly [string, string])[]): string[] {
  const texts = entries.map(([name, level]) => ({ name, text: `${name} ${level}` }));
  return texts.flatMap((a, at) =>
    texts.slice(at + 1).flatMap((b) => (a.name === b.name ? [] : `${a.text}, ${b.text}`)),
  );
}

/** Describes the levels of a row. */
export function nameOf(row: Row): string {
  return Object.entries(row)
    .map(([factor, level]) => `${factor} ${level}`)
    .join(', ');
}
