import { printable } from '../../base/printable.ts';

/** A text as a literal of TypeScript, in the quotes that Prettier chooses. */
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

/** A number of about four digits, as a literal. */
export function figure(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  return String(Number(value.toPrecision(4)));
}

/** A length of time as a literal: in whole units, else to four digits. */
export function durationLiteral(ms: number): string {
  const exact = (
    [
      ['d', 86_400_000],
      ['h', 3_600_000],
      ['m', 60_000],
      ['s', 1000],
    ] as const
  ).find(([, length]) => ms >= length && ms % length === 0);
  if (exact !== undefined) return `'${String(ms / exact[1])}${exact[0]}'`;
  if (ms >= 60_000) return `'${String(Math.round(ms / 1000))}s'`;
  return ms >= 1000 ? `'${figure(Number((ms / 1000).toPrecision(4)))}s'` : `'${decimal(ms)}ms'`;
}

/** Without an exponent, which durations do not have. */
const decimal = (ms: number): string => String(Number(ms.toFixed(ms < 1 ? 4 : 1)));

/** Lines of a comment, which no text from elsewhere can end. */
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
