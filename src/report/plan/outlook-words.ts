import type { BeyondReach, Outlook } from '../../compare/outlook.ts';
import { groupBy } from '../../base/group-by.ts';
import { countOf, formatCount, formatMs, formatNumber } from '../../base/format.ts';
import { formatExtent } from '../words/format-change.ts';

/** What a comparison of runs like this could decide, what not, and what that would take. */
export function outlookText(outlook: Outlook): string {
  const { decides, cannotDecide, knowsNoiseWithin } = outlook;
  const can = decides.map((name) => decidesText(name, outlook));
  const cannot = groupsOf(cannotDecide).map(beyondText);
  const window = windowText(outlook);
  const sentences = [
    ...(window === null ? [] : [window]),
    `${window === null ? 'A comparison of runs like this' : 'It'} can decide: ${can.join(', ') || 'nothing'}.`,
    ...(cannot.length === 0 ? [] : [`It cannot decide: ${cannot.join('; ')}.`]),
    ...(knowsNoiseWithin !== false
      ? []
      : ['With less than 12 s of measured time, at least three runs per side are needed.']),
  ];
  return sentences.join(' ');
}

/** What part of a run is compared, so that its number of turns is not taken for that of the run; `null` where it is all. */
function windowText({ isWhole, measuredMs, turnsPerRun, sessionsPerRun }: Outlook): string | null {
  if (isWhole || measuredMs === null || turnsPerRun === null || sessionsPerRun === null) return null;
  const counts = `about ${countOf(turnsPerRun, 'turn')} and ${countOf(sessionsPerRun, 'session')}`;
  return `A comparison uses only the measured window, without warm-up and drain: ${formatMs(measuredMs)} of a run, with ${counts}.`;
}

/** A metric that can be decided; for a share, the least share that can be detected. */
function decidesText(name: string, { failedShareFrom, createFailedShareFrom }: Outlook): string {
  const from = { 'turns.failedShare': failedShareFrom, 'sessions.createFailedShare': createFailedShareFrom }[name];
  return from == null ? name : `${name} (from ${formatExtent(from, 'share')} on, with five runs per side)`;
}

type Group = readonly [BeyondReach, ...BeyondReach[]];

/** Those that lack the same together. */
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
  return `${names} (needs ${countOf(needs, subject.slice(0, -1))} per run${times}; this gives about ${formatCount(gives)})`;
}
