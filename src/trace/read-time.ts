import type { TraceUnit } from './trace.ts';

/** Parser of the times of a trace into milliseconds; returns `undefined` for other values. */
export interface TimeReader {
  /** Description for people: `seconds`. */
  readonly format: string;
  /** Unit of numbers. */
  readonly unit?: TraceUnit;
  read: (value: unknown) => number | undefined;
}

const msOf: Readonly<Record<TraceUnit, number>> = { s: 1000, ms: 1, us: 1e-3, ns: 1e-6 };
const nameOf: Readonly<Record<TraceUnit, string>> = {
  s: 'seconds',
  ms: 'milliseconds',
  us: 'microseconds',
  ns: 'nanoseconds',
};

/** Returns the unit of times with this description; `undefined` if they are not numbers. */
export function unitOf(format: string): TraceUnit | undefined {
  return (Object.keys(nameOf) as TraceUnit[]).find((unit) => format.startsWith(nameOf[unit]));
}

/** Numbers in a known unit, as JSON numbers or text. */
export function unitTimes(unit: TraceUnit, isAssumed = false): TimeReader {
  return {
    format: `${nameOf[unit]}${isAssumed ? ' (assumed)' : ''}`,
    unit,
    read: (value) => {
      const number = numberIn(value);
      return number === undefined || number < 0 ? undefined : number * msOf[unit];
    },
  };
}

/** ISO 8601, in UTC by default. */
export const isoTimes: TimeReader = { format: 'ISO 8601', read: (value) => readIso(value) };

/** Times of access logs: `10/Oct/2000:13:55:36 -0700`. */
export const logTimes: TimeReader = { format: 'the access-log format', read: (value) => readLogTime(value) };

/** Returns a parser for the times of a trace, chosen by the first one; `undefined` if it is not a time. */
export function timesLike(first: unknown, unit: TraceUnit | undefined): TimeReader | undefined {
  if (unit !== undefined) return unitTimes(unit);
  const number = numberIn(first);
  if (number !== undefined && number >= 0) return unitTimes(likelyUnit(number), true);
  return [isoTimes, logTimes].find((times) => times.read(first) !== undefined);
}

/** Guesses the unit of times: the size of an instant in this century shows it; smaller values count from the start of the trace. */
export function likelyUnit(first: number): TraceUnit {
  if (first >= 1e17) return 'ns';
  if (first >= 1e14) return 'us';
  return first >= 1e11 ? 'ms' : 's';
}

/** Returns a finite number, also from text; `undefined` for anything else. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  if (typeof value === 'string' && !numeric.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

const numeric = /^\s*[+-]?\d{1,30}(?:\.\d{0,30})?(?:[eE][+-]?\d{1,3})?\s*$/;
const iso = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,12}))?\s?(Z|UTC|[+-]\d\d:?(?:\d\d)?)?$/;
const logTime = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})$/;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function readIso(value: unknown): number | undefined {
  const match = typeof value === 'string' ? iso.exec(value.trim()) : null;
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '0', offset = 'Z'] = match;
  const whole = utc(year, Number(month) - 1, [day, hour, minute, second]);
  return whole === undefined ? undefined : whole + Number(`0.${fraction}`) * 1000 - offsetMs(offset);
}

function readLogTime(value: unknown): number | undefined {
  const match = typeof value === 'string' ? logTime.exec(value.trim()) : null;
  if (match === null) return undefined;
  const [, day, month = '', year, hour, minute, second, offset = 'Z'] = match;
  const whole = utc(year, months.indexOf(month), [day, hour, minute, second]);
  return whole === undefined ? undefined : whole - offsetMs(offset);
}

/** Converts a date to milliseconds; `undefined` for a day or an hour that does not exist. A leap second is the second after it. */
function utc(year: string | undefined, month: number, rest: readonly (string | undefined)[]): number | undefined {
  const [day = 0, hour = 0, minute = 0, second = 0] = rest.map(Number);
  const isOff = month < 0 || month > 11 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60;
  if (isOff || (day > 28 && day > daysOf(Number(year), month))) return undefined;
  return Date.UTC(Number(year), month, day, hour, minute, second);
}

const daysOf = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

function offsetMs(offset: string): number {
  if (!/^[+-]/.test(offset)) return 0;
  const digits = offset.slice(1).replace(':', '').padEnd(4, '0');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (offset.startsWith('-') ? -1 : 1) * minutes * 60_000;
}
