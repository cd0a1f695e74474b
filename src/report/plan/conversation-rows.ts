import type { Plan } from '../../plan/plan.ts';
import { countOf, formatCount } from '../words/format.ts';

/** The length of made prompts; no row for other messages. */
export function promptRows({ messages: { prompts } }: Plan): [string, string][] {
  if (prompts === undefined) return [];
  const { min, max, counted } = prompts;
  const length = `${formatCount(min)}${max === min ? '' : ` to ${formatCount(max)}`}`;
  const unit = counted === 'words' ? 'words' : `tokens, as ${counted} counts them`;
  return [['prompts', `${length} ${unit}, made from the seed`]];
}

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
