import { countOf, formatCost, formatCount, formatNumber, formatShare } from '../../base/format.ts';
import { maxTurnNumber } from '../../plan/distributions.ts';
import { positionText } from '../../record/positions.ts';
import type { Result } from '../../result/result.ts';
import { namesText, type Cost, type Tokens } from '../../result/sections/cost.ts';
import { unattributedText } from '../../result/sections/model.ts';
import { sumOf } from '../../statistics/averages.ts';
import { fact, heads, table, text, type OutlineBlock } from '../outline/outline.ts';
import { judgedFigure } from '../page/gate-limits.ts';
import type { Figure } from '../page/page.ts';
import { perRun } from './shown-run.ts';

const lead = 'Token usage as replies report it, and its cost, without the warm-up.';

/** Reported tokens and their cost; empty for a run without them. */
export const costSection = perRun(
  { page: { id: 'cost', isSecondary: true, title: 'Tokens and cost', lead } },
  ({ result }) => [
    ...[['tokens', tokensText(result.tokens)] as const, ['cost', costText(result)] as const].flatMap(
      ([name, words]): OutlineBlock[] =>
        words === ''
          ? []
          : [
              { ...fact(name, words), on: ['terminal'] },
              { ...text(words), on: ['markdown', 'page'] },
            ],
    ),
    ...tokenTables(result),
  ],
);

/** Formats the token usage: `12,340 input tokens (41.2 % cached), 3,100 output tokens; 103 and 25.8 per turn`; '' if there is none. */
function tokensText({ input, output, cachedShare }: Tokens): string {
  const known = [input, output].filter(({ tokens }) => tokens !== null);
  if (known.length === 0) return '';
  const cached = cachedShare === null ? '' : ` (${formatShare(cachedShare)} cached)`;
  const sums = [
    ...(input.tokens === null ? [] : [`${formatCount(input.tokens)} input tokens${cached}`]),
    ...(output.tokens === null ? [] : [`${formatCount(output.tokens)} output tokens`]),
  ];
  const share = Math.min(...known.map(({ reportedShare }) => reportedShare ?? 0));
  const source = share < 1 ? `, reported by ${formatShare(share)} of the replies` : '';
  return `${sums.join(', ')}${source}; ${known.map(({ perTurn }) => formatNumber(perTurn ?? 0)).join(' and ')} per turn`;
}

/** Formats the cost: `at least 0.0123 USD for 120 messages; 0.000123 USD per ok turn; 2.1 % wasted; cost of 3 attempts (2.5 %) not known: timed_out 3` */
function costText({ cost, outcomes, spending, model }: Result): string {
  if (cost === null) return '';
  const { total, perOkTurn, perGoodTurn, perSession, unknownAttempts, unknownShare } = cost;
  const messages = countOf(sumOf(Object.values(outcomes.attempts)), 'message');
  const classes = Object.entries(unknownAttempts.byClass).map(([name, count]) => `${name} ${formatCount(count)}`);
  const whole =
    total !== null && (spending.cost ?? 0) > total ? ` (${amount(cost, spending.cost)} with the warm-up)` : '';
  const means = { 'ok turn': perOkTurn, 'good turn': perGoodTurn, session: perSession };
  return [
    total === null ? '' : `${amount(cost, total)} for ${messages}${whole}`,
    Object.entries(means)
      .flatMap(([name, mean]) => (mean === null ? [] : [`${amount(cost, mean)} per ${name}`]))
      .join(', '),
    wasteText(cost, model),
    unknownAttempts.total === 0
      ? ''
      : `cost of ${countOf(unknownAttempts.total, cost.source === 'model' ? 'model call' : 'attempt')} (${formatShare(unknownShare)}) not known${classes.length === 0 ? '' : `: ${classes.join(', ')}`}`,
    cost.source === 'model' ? 'by the model calls' : '',
    cost.source === 'service' ? 'computed by the scenario’s function' : '',
    cost.asOf === null ? '' : `prices as of ${cost.asOf}`,
    cost.substitutedPrices.length === 0
      ? ''
      : `priced as the requested model: ${namesText(cost, cost.substitutedPrices)}`,
    cost.fallbackPrices.length === 0
      ? ''
      : `priced as other input for lack of a price: ${cost.fallbackPrices.map(({ name }) => name).join(', ')}`,
  ]
    .filter((words) => words !== '')
    .join('; ');
}

/** Formats the waste: `2.1 % wasted`; '' without waste, and if too few model calls are attributed to know it. */
function wasteText({ source, wastedShare }: Cost, model: Result['model']): string {
  const isKnown = source !== 'model' || unattributedText(model) === undefined;
  return isKnown && (wastedShare ?? 0) > 0 ? `${formatShare(wastedShare)} wasted` : '';
}

/** Formats a cost; lower bounds are called so. */
function amount({ isAtLeast, currency }: Cost, value: number | null): string {
  return `${isAtLeast ? 'at least ' : ''}${formatCost(value ?? 0)}${currency === null ? '' : ` ${currency}`}`;
}

const partNames = {
  input: 'input',
  cachedInput: 'input read from a cache',
  cacheWrite: 'input written to a cache',
  cacheWrite1h: 'input written to a cache for an hour',
  output: 'output',
  reasoning: 'reasoning',
} as const;

function tokenTables({ tokens, scenario }: Result): OutlineBlock[] {
  const longest = maxTurnNumber(scenario.plan);
  const names = Object.keys(partNames) as (keyof typeof partNames)[];
  const parts = names.flatMap((part) => {
    const { tokens: sum, perTurn, reportedShare } = tokens[part];
    if (sum === null) return [];
    return [[partNames[part], formatCount(sum), formatNumber(perTurn ?? 0), formatShare(reportedShare)]];
  });
  const turns = tokens.positions
    .filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0)
    .map(({ position, inputTokens, outputTokens, cachedShare }) => [
      positionText(position, longest),
      formatCount(inputTokens),
      formatCount(outputTokens),
      formatShare(cachedShare),
    ]);
  if (parts.length === 0) return [];
  return [
    table('Tokens by part', heads('part', '>tokens', '>per turn', '>replies that report it'), parts, { on: ['page'] }),
    table('Tokens by turn', heads('turn', '>input', '>output', '>cached'), turns, { on: ['page'] }),
  ];
}

/** Builds the tile of the cost per ok turn; empty without costs. */
export function costFigures(result: Result): Figure[] {
  const { cost } = result;
  if (cost === null || cost.perOkTurn === null) return [];
  const wasted = wasteText(cost, result.model);
  const detail = `${amount(cost, cost.total)} in total${wasted === '' ? '' : `; ${wasted}`}`;
  const tile = { name: 'cost per ok turn', text: amount(cost, cost.perOkTurn), detail, state: 'plain' } as const;
  return [judgedFigure(result, ['cost.perOkTurn'], tile)];
}
