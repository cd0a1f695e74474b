import type { BeyondReach, Outlook } from '../../compare/outlook.ts';
import { groupBy } from '../../base/group-by.ts';
import { countOf, formatCount, formatMs, formatNumber } from '../../base/format.ts';
import { formatExtent } from '../words/format-change.ts';

/** Describes which metrics a comparison of such runs can decide, and what the others need. */
export function outlookText(outlook: Outlook): string {
  const { decides, cannotDecide, knowsNoiseWithin } = outlook;
  const can = decides.map((name) => decidesText(name, outlook));
  const cannot = groupsOf(cannotDecide).map(beyondText);
  const window = windowText(outlook);
  const sentences = [
    ...(window === null ? [] : [window]),
    `${window === null ? 'A comparison of two such runs' : 'It'} can detect changes in: ${can.join(', ') || 'nothing'}.`,
    ...(cannot.length === 0 ? [] : [`Not enough data for: ${cannot.join('; ')}.`]),
    ...(knowsNoiseWithin !== false
      ? []
      : ['With less than 12 s of measured time, a comparison needs at least three runs per side.']),
  ];
  return sentences.join(' ');
}

/** Describes the compared part of a run, whose number of turns differs from the run's; `null` if the whole run is compared. */
function windowText({ isWhole, measuredMs, turnsPerRun, sessionsPerRun }: Outlook): string | null {
  if (isWhole || measuredMs === null || turnsPerRun === null || sessionsPerRun === null) return null;
  const counts = `about ${countOf(turnsPerRun, 'turn')} and ${countOf(sessionsPerRun, 'session')}`;
  return `A comparison uses only the measured window (no warm-up, no drain): ${formatMs(measuredMs)} of a run, with ${counts}.`;
}

/** Names a metric that can be decided; for a share, with the minimum that can be detected. */
function decidesText(name: string, { failedShareFrom, createFailedShareFrom }: Outlook): string {
  const from = { 'turns.failedShare': failedShareFrom, 'sessions.createFailedShare': createFailedShareFrom }[name];
  return from == null ? name : `${name} (${formatExtent(from, 'share')} or more, with five runs per side)`;
}

type Group = readonly [BeyondReach, ...BeyondReach[]];

/** Groups metrics that lack the same data. */
const groupsOf = (beyond: readonly BeyondReach[]): Group[] => [
  ...groupBy(beyond, ({ reason, needs }) => `${reason} ${String(needs)}`).values(),
];

function beyondText(group: Group): string {
  const [{ reason, subject, needs, gives }] = group;
  const names = group.map(({ metric }) => metric).join(', ');
  if (subject === null || needs === null) return `${names} (${reason})`;
  if (gives === null)
    return `${names} (needs ${countOf(needs, subject.slice(0, -1))} per run; the service sets their number)`;
  const times = gives === 0 ? '' : `, ${formatNumber(needs / gives)} times as many`;
  return `${names} (needs ${countOf(needs, subject.slice(0, -1))} per run${times}; this plan has about ${formatCount(gives)})`;
}
