import type { Distribution, QuantityFit } from '../../fit/document/fit.ts';
import { distributionText } from './fit-words.ts';
import { comment, figure } from './source-text.ts';

/** Words a token, of English text. */
const wordsPerToken = 0.75;

/** A function, as source text, that makes messages whose lengths are distributed so. */
export function messageSource({ unit, distribution, quantiles, mean }: QuantityFit): string[] {
  // The tail of a fit can be longer than anything that was seen.
  const most = Math.max(10, Math.ceil(2 * Math.max(mean.data, quantiles.at(-1)?.data ?? 0)));
  const isTokens = unit === 'tokens';
  return [
    "const words = 'please can you tell me where my order is and when will it arrive at our house'.split(' ');",
    '',
    ...comment(`A message as long as those of the input: ${distributionText(distribution, unit)} (${unit}).`, ''),
    ...(isTokens ? comment(`A token is taken as ${String(wordsPerToken)} words.`, '') : []),
    'function makeMessage(random: () => number): string {',
    ...drawSource(distribution),
    `  const ${unit} = Math.min(${String(most)}, Math.max(1, drawn));`,
    ...(isTokens ? wordSource : characterSource),
    '}',
    '',
  ];
}

const wordSource = [
  `  const count = Math.max(1, Math.round(tokens * ${String(wordsPerToken)}));`,
  "  return Array.from({ length: count }, () => words[Math.floor(random() * words.length)]).join(' ');",
];

const characterSource = [
  "  let text = '';",
  '  while (text.length < characters) text += `${words[Math.floor(random() * words.length)]} `;',
  '  return text.slice(0, Math.round(characters)).padEnd(1, words[0]);',
];

/** Lines that put a draw from [0, 1) into `drawn`. */
function drawSource(distribution: Distribution): string[] {
  switch (distribution.kind) {
    case 'uniform':
      return [
        `  const drawn = ${figure(distribution.min)} + random() * ${figure(distribution.max - distribution.min)};`,
      ];
    case 'exponential':
      return [`  const drawn = -${figure(distribution.mean)} * Math.log(1 - random());`];
    case 'lognormal':
      return [
        '  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());',
        `  const drawn = ${figure(distribution.median)} * Math.exp(${figure(distribution.sigma)} * normal);`,
      ];
    case 'constant':
      return [`  const drawn = ${figure(distribution.value)};`];
    case 'normal':
    case 'weights':
    case 'gamma':
      throw new Error(`lengths are never ${distribution.kind}`);
  }
}
