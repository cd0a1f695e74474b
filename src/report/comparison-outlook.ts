import type { BeyondReach, Outlook } from '../compare/outlook.ts';
import { groupBy } from '../record/group-by.ts';
import { countOf, formatCount, formatNumber } from './format.ts';
import { formatExtent } from './format-change.ts';
import { paragraph } from './paragraph.ts';
import type { Style } from './table.ts';

/** What a comparison of runs like this could decide, what not, and what that would take. */
export function outlookText(outlook: Outlook, { width }: Style): string {
  const { decides, cannotDecide, knowsNoiseWithin } = outlook;
  const can = decides.map((name) => (name === 'turns.failedShare' ? failedShareText(name, outlook) : name));
  const cannot = groupsOf(cannotDecide).map(beyondText);
  const sentences = [
    `A comparison of runs like this can decide: ${can.join(', ') || 'nothing'}.`,
    ...(cannot.length === 0 ? [] : [`It cannot decide: ${cannot.join('; ')}.`]),
    ...(knowsNoiseWithin !== false ? [] : ['With under 12 s of measured time it takes three runs a side at least.']),
  ];
  return paragraph(sentences.join(' '), { width });
}

const failedShareText = (name: string, { failedShareFrom }: Outlook): string =>
  failedShareFrom === null ? name : `${name} (from ${formatExtent(failedShareFrom, 'share')} on, by five runs a side)`;

type Group = readonly [BeyondReach, ...BeyondReach[]];

/** Those that lack the same together. */
const groupsOf = (beyond: readonly BeyondReach[]): Group[] => [
  ...groupBy(beyond, ({ why, needs }) => `${why} ${String(needs)}`).values(),
];

function beyondText(group: Group): string {
  const [{ why, of, needs, gives }] = group;
  const names = group.map(({ metric }) => metric).join(', ');
  if (of === null || needs === null) return `${names} (${why})`;
  if (gives === null)
    return `${names} (takes ${countOf(needs, of.slice(0, -1))} a run; how many there are is up to the service)`;
  const times = gives === 0 ? '' : `, ${formatNumber(needs / gives)} times as many`;
  return `${names} (takes ${countOf(needs, of.slice(0, -1))} a run${times}; this gives about ${formatCount(gives)})`;
}
