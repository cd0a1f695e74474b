import type { Capacity } from '../document/capacity.ts';
import { breakText } from './break-text.ts';
import { loadText, timesText } from './load-text.ts';

type Answer = Pick<Capacity, 'by' | 'bounds' | 'outcome' | 'holds' | 'broken' | 'steps' | 'objectives'>;

/** The answer of a search in one sentence, without a full stop: what holds, what does not, and why it is no more than that. */
export function summarizeCapacity(answer: Answer): string {
  switch (answer.outcome) {
    case 'found':
      return bothEnds(answer);
    case 'holds_at_most':
      return `holds at ${loadText(answer.bounds.most, answer.by)}, the highest load that was allowed: its capacity is beyond`;
    case 'fails_at_least':
      return `does not even hold at ${loadText(answer.bounds.least, answer.by)}, the lowest load that was allowed: ${breakText(answer)}`;
    case 'generator_limited':
      return `not known: the generator carries no more; ${bothEnds(answer)}`;
    case 'not_recovered':
      return `not known: the service did not recover from a load that it could not hold; ${bothEnds(answer)}`;
    case 'undecided':
      return `known only roughly: the longest steps leave it open between; ${bothEnds(answer)}`;
    case 'bounded':
      return `known only in part: time, turns or cost ran out; ${bothEnds(answer)}`;
    case 'interrupted':
      return `known only in part: a signal ended the search; ${bothEnds(answer)}`;
    case 'stopped':
      return `known only in part: the search had to stop; ${bothEnds(answer)}`;
  }
}

/** `holds at 180 sessions at a time, shown twice; broken at 200: turn.p95 was 2.31 s, limit 2 s`. */
function bothEnds(answer: Answer): string {
  const { holds, broken, by } = answer;
  const parts = [
    ...(holds === null ? [] : [`holds at ${loadText(holds.load, by)}, shown ${timesText(holds.steps.length)}`]),
    ...(broken === null ? [] : [`broken at ${brokenLoad(answer)}: ${breakText(answer)}`]),
  ];
  return parts.length === 0 ? 'no load was judged' : parts.join('; ');
}

/** Behind a load in full, the number alone says enough. */
function brokenLoad({ holds, broken, by }: Answer): string {
  const text = loadText(broken?.load ?? 0, by);
  return holds === null ? text : (text.split(' ')[0] ?? text);
}
