import type { BeyondReach, Outlook } from '../../compare/outlook.ts';
import { groupBy } from '../../base/group-by.ts';
import { countOf, formatCount, formatMs, formatNumber } from '../../base/format.ts';
import { formatExtent } from '../words/format-change.ts';

/** Describes which metrics a comparison of two such runs can decide, and what the others need: rows of a name and a text. */
export function outlookRows(outlook: Outlook): (readonly [name: string, text: string])[] {
  const { decides, cannotDecide, knowsNoiseWithin } = outlook;
  const window = windowText(outlook);
  const shares = decides.flatMap((name) => extentText(name, outlook));
  const groups = groupsOf(cannotDecide);
  return [
    ...(window === null ? [] : [['window', window] as const]),
    ...named('detects', [decides.join(', ') || 'nothing', ...shares]),
    ...named('needs more', groups.flatMap(needsText)),
    ...named('no verdict', groups.flatMap(reasonText)),
    ...(knowsNoiseWithin === false
      ? [['runs', 'at least three per side, because less than 12 s are measured'] as const]
      : []),
  ];
}

const named = (name: string, texts: readonly string[]): (readonly [string, string])[] =>
  texts.map((text, index) => [index === 0 ? name : '', text]);

/** Describes the compared part of a run, whose number of turns differs from the run's; `null` if the whole run is compared. */
function windowText({ isWhole, measuredMs, turnsPerRun, sessionsPerRun }: Outlook): string | null {
  if (isWhole || measuredMs === null || turnsPerRun === null || sessionsPerRun === null) return null;
  const counts = `about ${countOf(turnsPerRun, 'turn')}, ${countOf(sessionsPerRun, 'session')}`;
  return `${formatMs(measuredMs)} of each run, without warm-up and drain: ${counts}`;
}

/** Describes the minimum change of a share that can be detected. */
function extentText(name: string, { failedShareFrom, createFailedShareFrom }: Outlook): string[] {
  const from = { 'turns.failedShare': failedShareFrom, 'sessions.createFailedShare': createFailedShareFrom }[name];
  if (from == null) return [];
  const extent = from < 0.0001 ? 'from less than 0.01 pp' : `from ${formatExtent(from, 'share')}`;
  return [`${name} ${extent} on, with five runs per side`];
}

type Group = readonly [BeyondReach, ...BeyondReach[]];

/** Groups metrics that lack the same data. */
const groupsOf = (beyond: readonly BeyondReach[]): Group[] => [
  ...groupBy(beyond, ({ reason, needs }) => `${reason} ${String(needs)}`).values(),
];

const namesOf = (group: Group): string => group.map(({ metric }) => metric).join(', ');

function needsText(group: Group): string[] {
  const [{ subject, needs, gives }] = group;
  if (subject === null || needs === null) return [];
  const need = `${namesOf(group)}: ${countOf(needs, subject.slice(0, -1))} per run`;
  if (gives === null) return [`${need}; the service determines their number`];
  if (gives === 0) return [`${need}; this plan has none`];
  return [`${need}, ${formatNumber(needs / gives)} times the planned ${formatCount(gives)}`];
}

const reasonText = (group: Group): string[] =>
  group[0].subject === null || group[0].needs === null ? [`${namesOf(group)}: ${group[0].reason}`] : [];
