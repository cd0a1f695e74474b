import { countOf, formatCost, formatCount, formatNumber, formatShare } from '../../base/format.ts';
import { sumOf } from '../../statistics/averages.ts';
import type { Result } from '../../result/result.ts';
import type { Cost, Tokens } from '../../result/sections/cost.ts';
import { fact, heads, table, text, type OutlineBlock } from '../outline/outline.ts';
import type { Figure } from '../page/page.ts';
import { judgedFigure } from '../page/gate-limits.ts';
import { listTable, perRun } from './shown-run.ts';

/** Reported tokens and their cost; empty for a run without them. */
export const costSection = perRun(
  {
    page: {
      id: 'cost',
      title: 'Tokens and cost',
      lead: 'Token usage as replies report it, and its cost, without the warm-up.',
    },
  },
  ({ result }) => [
    ...Object.entries(costTexts(result)).map(([name, words]): OutlineBlock => ({
      ...fact(name, words),
      on: ['terminal'],
    })),
    ...Object.values(costTexts(result)).map((words): OutlineBlock => ({ ...text(words), on: ['markdown'] })),
    listTable('Tokens', tokenFacts(result.tokens)),
    ...positionTable(result.tokens),
    listTable('Cost', result.cost === null ? [] : costFacts(result.cost)),
  ],
);

/** Lines of a terminal and of Markdown, by name. */
function costTexts({ tokens, cost, outcomes, spending }: Result): Readonly<Record<string, string>> {
  return {
    ...(tokens.input.tokens === null && tokens.output.tokens === null ? {} : { tokens: tokensText(tokens) }),
    ...(cost === null ? {} : { cost: costText(cost, { messages: sumOf(Object.values(outcomes.attempts)), spending }) }),
  };
}

/** `12,340 input tokens (41.2 % cached), 3,100 output tokens; 103 and 25.8 per turn` */
function tokensText({ input, output, cachedShare, reasoning }: Tokens): string {
  const parts = [
    ...(input.tokens === null
      ? []
      : [
          `${formatCount(input.tokens)} input tokens${cachedShare === null ? '' : ` (${formatShare(cachedShare)} cached)`}`,
        ]),
    ...(output.tokens === null
      ? []
      : [
          `${formatCount(output.tokens)} output tokens${reasoning.tokens === null || reasoning.tokens === 0 ? '' : ` (${formatCount(reasoning.tokens)} reasoning)`}`,
        ]),
  ];
  const means = [input.perTurn, output.perTurn].filter((mean) => mean !== null).map(formatNumber);
  const share = input.reportedShare ?? output.reportedShare ?? 1;
  const source = share < 1 ? ` of ${formatShare(share)} of the replies` : '';
  return `${parts.join(', ')}${source}; ${means.join(' and ')} per turn`;
}

/** `at least 0.0123 USD for 120 messages (0.015 USD with the warm-up); 0.000123 per ok turn, 0.0005 per session; 2.1 % wasted; cost of 3 attempts (2.5 %) not known` */
function costText(cost: Cost, { messages, spending }: { messages: number; spending: Result['spending'] }): string {
  const { total, perOkTurn, perSession, perGoodTurn, wastedShare, unknownAttempts, unknownShare } = cost;
  const amount = amountIn(cost);
  const unknown =
    unknownAttempts.total === 0
      ? []
      : [`cost of ${countOf(unknownAttempts.total, 'attempt')} (${formatShare(unknownShare)}) not known`];
  if (total === null) return unknown.join('') || 'nothing was sent';
  const means = [
    ...(perOkTurn === null ? [] : [`${amount(perOkTurn)} per ok turn`]),
    ...(perGoodTurn === null ? [] : [`${amount(perGoodTurn)} per good turn`]),
    ...(perSession === null ? [] : [`${amount(perSession)} per session`]),
  ];
  const whole = (spending.cost ?? 0) > total ? ` (${amount(spending.cost ?? 0)} with the warm-up)` : '';
  const wasted = wastedShare === null || wastedShare === 0 ? [] : [`${formatShare(wastedShare)} wasted`];
  return [
    `${amount(total)} for ${countOf(messages, 'message')}${whole}`,
    means.join(', '),
    ...wasted,
    ...unknown,
    pricesText(cost),
  ]
    .filter((words) => words !== '')
    .join('; ');
}

/** Returns a formatter of costs; lower bounds are called so. */
function amountIn({ isAtLeast, currency }: Cost): (value: number) => string {
  return (value) => `${isAtLeast ? 'at least ' : ''}${formatCost(value)}${currency === null ? '' : ` ${currency}`}`;
}

function pricesText({ source, asOf, fallbackPrices }: Cost): string {
  if (source === 'service') return 'computed by the scenario’s function';
  const fallbacks = fallbackPrices.map(({ name }) => name).join(', ');
  const date = asOf === null ? '' : `prices as of ${asOf}`;
  const priced = fallbacks === '' ? '' : `priced as other input for lack of a price: ${fallbacks}`;
  return [date, priced].filter((words) => words !== '').join('; ');
}

const partNames = {
  input: 'input',
  cachedInput: 'read from a cache',
  cacheWrite: 'written to a cache',
  cacheWrite1h: 'written to a cache for an hour',
  output: 'output',
  reasoning: 'reasoning',
} as const;

const tokenFacts = (tokens: Tokens) =>
  (Object.keys(partNames) as (keyof typeof partNames)[]).flatMap((part) => {
    const { tokens: sum, perTurn, reportedShare } = tokens[part];
    if (sum === null) return [];
    const mean = perTurn === null ? '' : `, ${formatNumber(perTurn)} per turn`;
    return [
      {
        name: partNames[part],
        text: `${formatCount(sum)}${mean}; reported by ${formatShare(reportedShare)} of the replies`,
      },
    ];
  });

function positionTable({ positions }: Tokens): OutlineBlock[] {
  const rows = positions
    .filter(({ inputTokens, outputTokens }) => inputTokens + outputTokens > 0)
    .map(({ position, inputTokens, outputTokens, cachedShare }) => [
      position,
      formatCount(inputTokens),
      formatCount(outputTokens),
      formatShare(cachedShare),
    ]);
  const columns = heads('turn', '>input tokens', '>output tokens', '>cached');
  return rows.length < 2 ? [] : [table('Tokens by turn', columns, rows, { on: ['page'] })];
}

function costFacts(cost: Cost) {
  const amount = amountIn(cost);
  const amounts = {
    total: cost.total,
    'per turn sent': cost.perTurn,
    'per ok turn': cost.perOkTurn,
    'per good turn': cost.perGoodTurn,
    'per session': cost.perSession,
    'wasted on attempts that were not ok': cost.wasted,
  };
  const unknown = Object.entries(cost.unknownAttempts.byClass).map(([name, count]) => `${name} ${formatCount(count)}`);
  return [
    ...Object.entries(amounts).flatMap(([name, value]) => (value === null ? [] : [{ name, text: amount(value) }])),
    { name: 'attempts of unknown cost', text: unknown.length === 0 ? 'none' : unknown.join(', ') },
    ...(pricesText(cost) === '' ? [] : [{ name: 'source', text: pricesText(cost) }]),
    ...(cost.unknownModels.length === 0
      ? []
      : [{ name: 'models without a price', text: cost.unknownModels.map(({ name }) => name).join(', ') }]),
  ];
}

/** Tile of the cost per ok turn; empty without costs. */
export function costFigures(result: Result): Figure[] {
  const { cost } = result;
  if (cost === null || cost.perOkTurn === null || cost.total === null) return [];
  const amount = amountIn(cost);
  const wasted = cost.wastedShare === null ? '' : `; ${formatShare(cost.wastedShare)} wasted`;
  const detail = `${amount(cost.total)} in total${wasted}`;
  const tile: Figure = { name: 'cost per ok turn', text: amount(cost.perOkTurn), detail, state: 'plain' };
  return [judgedFigure(result, ['cost.perOkTurn'], tile)];
}
