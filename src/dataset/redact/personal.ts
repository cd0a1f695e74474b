/** What looks personal, by the placeholder that stands for it. */
export const personalKinds = ['key', 'mail', 'iban', 'card', 'ip', 'phone'] as const;
export type PersonalKind = (typeof personalKinds)[number];

/** Something in a text that looks personal. */
export interface Found {
  kind: PersonalKind;
  start: number;
  end: number;
  /** The same for the same thing, however it is written. */
  value: string;
}

/** How one kind looks. The expression is bounded everywhere: it takes no longer than the text is long. */
export interface PersonalRule {
  kind: PersonalKind;
  /** Without one of these in it, a text is not searched. */
  needs: RegExp;
  expression: RegExp;
  /** Whether what looks so is so, by what stands before it in the text too; its value, or `undefined`. */
  valueOf: (match: string, before: string) => string | undefined;
}

/** The shape of something personal, without it: letters as `x`, digits as `0`. */
export function mask(text: string): string {
  const shape = text
    .replace(/\p{L}/gu, 'x')
    .replace(/\p{N}/gu, '0')
    .replace(/[^x0 ()+.,:/_@-]/gu, '?');
  return shape.length <= longestShape ? shape : `${shape.slice(0, longestShape)}…`;
}

const longestShape = 40;
