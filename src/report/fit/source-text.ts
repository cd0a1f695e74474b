import { printable } from '../../base/printable.ts';
import type { ArrivalFit, Fit } from '../../fit/document/fit.ts';
import { countOf, formatMs, formatNumber, formatPercent } from '../../base/format.ts';

/** Renders a text as a TypeScript literal, with the quotes that Prettier chooses. */
export function literal(text: string): string {
  const quote = (text.match(/'/g) ?? []).length > (text.match(/"/g) ?? []).length ? '"' : "'";
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll(quote, `\\${quote}`)
    .replace(/[\u007f-\u009f\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (unit) =>
      unit
        .split('')
        .map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join(''),
    );
  return `${quote}${escaped}${quote}`;
}

/** Renders a number with about four digits. */
export function figure(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  return String(Number(value.toPrecision(4)));
}

const units = Object.entries({ d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 });

/** Renders a duration as a literal: in whole units if possible, otherwise with four digits. */
export function durationLiteral(ms: number): string {
  const exact = units.find(([, length]) => ms >= length && ms % length === 0);
  if (exact !== undefined) return `'${String(ms / exact[1])}${exact[0]}'`;
  if (ms >= 60_000) return `'${String(Math.round(ms / 1000))}s'`;
  return ms >= 1000 ? `'${figure(Number((ms / 1000).toPrecision(4)))}s'` : `'${decimal(ms)}ms'`;
}

/** Formats a number without an exponent, which durations do not allow. */
const decimal = (ms: number): string => String(Number(ms.toFixed(ms < 1 ? 4 : 1)));

/** Renders a text as comment lines that the text cannot terminate. */
export function comment(text: string, indent: string): string[] {
  const lines: string[] = [];
  for (const word of printable(text).split(/\s+/u)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= 110 - indent.length)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `${indent}// ${line}`);
}

/** Maximum duration of a generated scenario with a steady rate. */
const maxSteadyMs = 3_600_000;

/** Renders `load` and the end of the run. */
export function loadSource({ arrivals }: Fit): string[] {
  if (arrivals === null)
    return [
      ...comment('The input has no session start times: 10 concurrent sessions are assumed.', '  '),
      '  sessions: 100,',
      '  load: { concurrency: 10 },',
    ];
  const process = processSource(arrivals);
  if (arrivals.rate?.varies !== true) return steadySource(arrivals, process);
  return [
    ...comment(`${rateText(arrivals)} ${processText(arrivals)}`, '  '),
    '  load: {',
    '    stages: [',
    ...stagesOf(arrivals).map((line) => `      ${line}`),
    '    ],',
    ...process.map((line) => `    ${line},`),
    '  },',
  ];
}

function steadySource(arrivals: ArrivalFit, process: readonly string[]): string[] {
  const durationMs = Math.max(1000, Math.round(Math.min(arrivals.lengthMs, maxSteadyMs) / 1000) * 1000);
  const fields = [`sessionsPerSecond: ${rateLiteral(arrivals.sessionsPerSecond)}`, ...process];
  return [
    ...comment(
      `The input is ${formatMs(arrivals.lengthMs)} long: ${countOf(arrivals.sessions, 'session')}. ${steadyText(arrivals)} ${processText(arrivals)}`,
      '  ',
    ),
    `  duration: ${durationLiteral(durationMs)},`,
    `  load: { ${fields.join(', ')} },`,
  ];
}

const rateText = ({ rate, sessions, lengthMs }: ArrivalFit): string =>
  `${countOf(sessions, 'session')} in ${formatMs(lengthMs)}, at a rate that varies by ${formatPercent(rate?.variation ?? 0)} % (standard deviation): one level per ${formatMs(rate?.binMs)}.`;

/** Explains why a steady rate has one level. */
function steadyText({ rate }: ArrivalFit): string {
  if (rate === null) return 'Too few for a rate over time.';
  return `The rate per ${formatMs(rate.binMs)} varies by no more than chance, or by less than 10 %.`;
}

export function processText({ process, burstiness, interval, by }: ArrivalFit): string {
  if (burstiness === null || interval === null) return 'Poisson arrivals are assumed.';
  const k = `k ${formatNumber(burstiness)}, 95 % between ${formatNumber(interval.low)} and ${formatNumber(interval.high)}`;
  const evidence = by === 'counts' ? `${k}, from counts` : k;
  if (process === 'constant') return 'Gaps between sessions are nearly equal.';
  return process === 'poisson'
    ? `Sessions arrive as a Poisson process (${evidence}).`
    : `Arrivals are ${burstiness < 1 ? 'burstier' : 'more even'} than a Poisson process (${evidence}).`;
}

function processSource({ process, burstiness }: ArrivalFit): string[] {
  if (process === 'constant') return [];
  return process === 'poisson'
    ? ["arrivals: 'poisson'"]
    : ["arrivals: 'gamma'", `burstiness: ${figure(Math.min(1e6, burstiness ?? 1))}`];
}

/** Renders the stages: each level is set at once and held. */
function stagesOf({ rate, lengthMs }: ArrivalFit): string[] {
  if (rate === null) return [];
  return rate.perSecond.flatMap((level, index) => {
    const durationMs = Math.round(Math.min(rate.binMs, lengthMs - index * rate.binMs) / 1000) * 1000;
    if (durationMs <= 0) return [];
    const sessionsPerSecond = rateLiteral(level);
    return [
      `{ duration: 0, sessionsPerSecond: ${sessionsPerSecond} },`,
      `{ duration: ${durationLiteral(durationMs)}, sessionsPerSecond: ${sessionsPerSecond} },`,
    ];
  });
}

/** Formats a rate without an exponent, up to the maximum that a scenario allows. */
const rateLiteral = (perSecond: number): string => {
  const text = figure(Math.min(1e6, perSecond));
  return text.includes('e') ? perSecond.toFixed(12).replace(/0+$/, '') : text;
};
