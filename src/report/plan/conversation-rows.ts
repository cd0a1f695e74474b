import type { Plan } from '../../plan/plan.ts';
import { countOf, formatCount } from '../words/format.ts';

/** What a plan shows of the file that its conversations are from; no row where they are from none. */
export function conversationRows({ conversations, messages }: Plan): [string, string][] {
  if (conversations === undefined) return [];
  const { file, order, merged, skipped } = conversations;
  const parts = [
    `${formatCount(messages.count)} in ${file}, ${order === 'random' ? 'drawn by seed' : 'in their order'}`,
    ...(merged === 0 ? [] : [`in ${formatCount(merged)} messages in a row are one turn`]),
    ...(skipped.lines === 0 ? [] : [`${countOf(skipped.lines, 'malformed line')} left out (${skippedText(skipped)})`]),
  ];
  return [['conversations', parts.join('; ')]];
}

const skippedText = ({ lines, first }: NonNullable<Plan['conversations']>['skipped']): string => {
  const named = first.map(({ line, why }) => `line ${String(line)}: ${why}`);
  return [...named, ...(lines > named.length ? ['...'] : [])].join('; ');
};
