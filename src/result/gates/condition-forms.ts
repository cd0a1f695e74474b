import { readDuration } from '../../scenario/duration.ts';
import type { MetricUnit } from '../metrics/metric.ts';
import { verdicts } from '../validity/judge-validity.ts';

/** What a condition begins with. */
export const operators = ['<', '<=', '>', '>='] as const;
export type Operator = (typeof operators)[number];

/** How the limit of a condition is written. */
interface ConditionForm {
  /** Gives the limit in the unit; `undefined` for any other text. */
  read: (text: string) => number | undefined;
  /** In words, for the docs. */
  form: string;
  /** Whole conditions. */
  examples: readonly [string, ...string[]];
}

/** By the unit of a metric. */
export const conditionForms: Readonly<Record<MetricUnit, ConditionForm>> = {
  ms: {
    read: readDuration,
    form: 'a number and `ms`, `s`, `m`, `h` or `d`',
    examples: ['< 250ms', '<= 1.5s'],
  },
  share: {
    read: (text) => (text.endsWith('%') ? scaled(text.slice(0, -1), 100) : undefined),
    form: 'a number and `%`',
    examples: ['< 1%', '<= 0.5 %'],
  },
  perSecond: {
    read: (text) => readNumber(text.replace(/\s*\/\s*s$/, '')),
    form: 'a number, with or without `/s`',
    examples: ['>= 20/s', '> 0.5'],
  },
  ratio: { read: readNumber, form: 'a number', examples: ['< 1.2'] },
  count: { read: readNumber, form: 'a number', examples: ['< 5', '>= 1'] },
  perHour: {
    read: readPerHour,
    form: 'a number, which may be negative, and `%/h`: a change in an hour',
    examples: ['< 2%/h', '> -2%/h'],
  },
  verdict: {
    read: readVerdict,
    form: verdicts.map((verdict) => `\`${verdict}\``).join(', '),
    examples: ['>= degraded'],
  },
};

function readVerdict(text: string): number | undefined {
  const index = verdicts.findIndex((verdict) => verdict === text);
  return index === -1 ? undefined : index;
}

function readNumber(text: string): number | undefined {
  const number = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Infinity;
  return Number.isFinite(number) ? number : undefined;
}

/** A share an hour, that of what falls below zero: `2%/h`, `-2%/h`. */
function readPerHour(text: string): number | undefined {
  const [, sign, percent = ''] = /^(-?)(\S+)\s*%\s*\/\s*h$/.exec(text) ?? [];
  const share = scaled(percent, 100);
  return share === undefined || sign === '' ? share : -share;
}

function scaled(text: string, by: number): number | undefined {
  const number = readNumber(text);
  return number === undefined ? undefined : number / by;
}
