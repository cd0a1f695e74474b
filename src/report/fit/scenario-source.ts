import type { Distribution, Fit, QuantityFit } from '../../fit/document/fit.ts';
import { countOf, formatShare } from '../../base/format.ts';
import { distributionText, fileOf, insteadText, poorFits, poorText } from './fit-text.ts';
import { loadSource, comment, durationLiteral, figure, literal } from './source-text.ts';

/** Renders a fit as a TypeScript scenario, ready to run. `conversations` is their path, relative to the file of the scenario. */
export function scenarioSource(
  fit: Fit,
  { conversations = fileOf(fit, 'conversations') }: { conversations?: string | undefined } = {},
): string {
  const isFile = conversations !== undefined;
  return [
    `import { defineScenario${isFile ? ', fromFile' : ''} } from 'chat-load';`,
    '',
    ...(isFile || fit.messageLength === null ? [] : messageSource(fit.messageLength)),
    ...headSource(fit),
    'export default defineScenario({',
    `  name: ${literal(nameOf(fit))},`,
    '  seed: 1,',
    ...loadSource(fit),
    ...turnsSource(fit, isFile),
    ...thinkTimeSource(fit),
    ...messagesSource(fit, conversations),
    '});',
    '',
  ].join('\n');
}

function headSource(fit: Fit): string[] {
  const inputs = fit.inputs.map(
    ({ file, holds, count }) => `${file} (${countOf(count, holds === 'trace' ? 'session' : 'conversation')})`,
  );
  const poor = poorFits(fit)
    .filter(({ instead }) => instead === undefined)
    .map(({ name, quantity }) => `${name}: ${poorText(quantity)}`);
  return [
    ...comment(
      `Fitted by chat-load fit to ${inputs.join(' and ')}. Uses the embedded service; set --base-url to use yours.`,
      '',
    ),
    ...(poor.length === 0 ? [] : comment(`A poor fit: ${poor.join('; ')}. ${insteadText(fit)}`, '')),
  ];
}

/** Returns a scenario name from the first input, reduced to characters of file names. */
function nameOf({ inputs }: Fit): string {
  const file = inputs[0]?.file.split(/[\\/]/).at(-1) ?? '';
  const stem = file.replace(/\.[^.]*$/, '').replace(/[^A-Za-z0-9-]+/g, '-');
  return `fitted-${stem.replace(/^-+|-+$/g, '').slice(0, 60) || 'workload'}`;
}

const fittedFrom = ({ count, distance }: QuantityFit, what: string): string =>
  `${countOf(count, what)}; shares differ by up to ${formatShare(distance)}`;

function turnsSource({ turns }: Fit, isFile: boolean): string[] {
  const fitted = turns && distributionText(turns.distribution, 'turns');
  if (isFile) return comment(`Each conversation keeps its turns${fitted === null ? '' : `: ${fitted}`}.`, '  ');
  if (turns === null) return [...comment('Too few sessions to fit turns.', '  '), '  turns: 3,'];
  return [
    ...comment(`Turns: ${String(fitted)} (${fittedFrom(turns, 'session')}).`, '  '),
    ...turnsLiteral(turns.distribution),
  ];
}

function turnsLiteral(distribution: Distribution): string[] {
  switch (distribution.kind) {
    case 'constant':
      return [`  turns: ${figure(distribution.value)},`];
    case 'uniform':
      return [`  turns: { min: ${String(distribution.min)}, max: ${String(distribution.max)} },`];
    case 'normal':
      return [`  turns: { mean: ${figure(Math.max(1, distribution.mean))}, sd: ${figure(distribution.sd)} },`];
    case 'weights':
      return weightsLiteral(distribution.ranges);
    default:
      throw new Error(`turns are never ${distribution.kind}`);
  }
}

function weightsLiteral(ranges: readonly { min: number; max: number; weight: number }[]): string[] {
  const total = ranges.reduce((sum, { weight }) => sum + weight, 0);
  const isQuoted = ranges.some(({ min, max }) => min !== max);
  const entries = ranges.map(({ min, max, weight }) => {
    const name = min === max ? String(min) : `${String(min)}-${String(max)}`;
    return `${isQuoted ? `'${name}'` : name}: ${figure(Number(((100 * weight) / total).toPrecision(4)))}`;
  });
  const line = `  turns: { weights: { ${entries.join(', ')} } },`;
  if (line.length <= 120) return [line];
  return ['  turns: {', '    weights: {', ...entries.map((entry) => `      ${entry},`), '    },', '  },'];
}

function thinkTimeSource({ thinkTime, notes }: Fit): string[] {
  if (thinkTime === null) {
    const isFew = notes.includes('few_gaps');
    const why = isFew ? 'Too few gaps between turns to fit think time' : 'The input has no times of turns';
    return [...comment(`${why}: the preset is used.`, '  '), "  thinkTime: 'chat',"];
  }
  const reply = notes.includes('reply_time_included') ? ' It includes the time of the previous reply.' : '';
  const fitted = `${distributionText(thinkTime.distribution, 'ms')} (${fittedFrom(thinkTime, 'gap')})`;
  return [
    ...comment(`Think time: ${fitted}.${reply}`, '  '),
    `  thinkTime: ${durationSource(thinkTime.distribution)},`,
  ];
}

function durationSource(distribution: Distribution): string {
  switch (distribution.kind) {
    case 'constant':
      return durationLiteral(distribution.value);
    case 'uniform':
      return `{ min: ${durationLiteral(distribution.min)}, max: ${durationLiteral(distribution.max)} }`;
    case 'exponential':
      return `{ mean: ${durationLiteral(distribution.mean)} }`;
    case 'lognormal':
      return `{ median: ${durationLiteral(distribution.median)}, sigma: ${figure(Math.min(10, distribution.sigma))} }`;
    default:
      throw new Error(`think times are never ${distribution.kind}`);
  }
}

function messagesSource({ messageLength, notes }: Fit, conversations: string | undefined): string[] {
  if (conversations !== undefined) return [`  messages: fromFile(${literal(conversations)}),`];
  if (messageLength !== null) return ['  messages: ({ random }) => makeMessage(random),'];
  return [
    ...comment(
      notes.includes('few_lengths')
        ? 'Fewer than 30 messages of the input have a length.'
        : 'The input has no message lengths.',
      '  ',
    ),
    "  messages: ['Hello, where is my order?', 'When will it arrive?', 'Thank you, that is all.'],",
  ];
}

/** Words per token in English text. */
const wordsPerToken = 0.75;

/** Renders a function that generates messages with this distribution of lengths. */
function messageSource({ unit, distribution, quantiles, mean }: QuantityFit): string[] {
  // The tail of a fit can exceed all lengths in the data.
  const max = Math.max(10, Math.ceil(2 * Math.max(mean.data, quantiles.at(-1)?.data ?? 0)));
  const isTokens = unit === 'tokens';
  return [
    "const words = 'please can you tell me where my order is and when will it arrive at our house'.split(' ');",
    '',
    ...comment(`Generates a message with the fitted length: ${distributionText(distribution, unit)} (${unit}).`, ''),
    ...(isTokens ? comment(`A token counts as ${String(wordsPerToken)} words.`, '') : []),
    'function makeMessage(random: () => number): string {',
    ...drawSource(distribution),
    `  const ${unit} = Math.min(${String(max)}, Math.max(1, drawn));`,
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

/** Renders the lines that assign a random value to `drawn`. */
function drawSource(distribution: Distribution): string[] {
  switch (distribution.kind) {
    case 'uniform': {
      const { min, max } = distribution;
      return [`  const drawn = ${figure(min)} + random() * ${figure(max - min)};`];
    }
    case 'exponential':
      return [`  const drawn = -${figure(distribution.mean)} * Math.log(1 - random());`];
    case 'lognormal':
      return [
        '  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());',
        `  const drawn = ${figure(distribution.median)} * Math.exp(${figure(distribution.sigma)} * normal);`,
      ];
    case 'constant':
      return [`  const drawn = ${figure(distribution.value)};`];
    default:
      throw new Error(`lengths are never ${distribution.kind}`);
  }
}
