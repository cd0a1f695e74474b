/** Detected scripts, by their names in documents. */
const scripts = {
  Latin: /\p{Script=Latin}/u,
  Japanese: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  Han: /\p{Script=Han}/u,
  Hangul: /\p{Script=Hangul}/u,
  Cyrillic: /\p{Script=Cyrillic}/u,
  Arabic: /\p{Script=Arabic}/u,
  Devanagari: /\p{Script=Devanagari}/u,
  Thai: /\p{Script=Thai}/u,
  Greek: /\p{Script=Greek}/u,
  Hebrew: /\p{Script=Hebrew}/u,
} as const;

export type Script = keyof typeof scripts | 'other' | 'none';
export const scriptNames = [...(Object.keys(scripts) as (keyof typeof scripts)[]), 'other', 'none'] as const;

/** Maximum number of letters that are inspected. */
const maxLetters = 300;
/** Japanese text may contain more Han characters than kana. */
const minKana = 0.05;

/** Returns the most frequent script among the first letters of a text: a language hint that needs no model. */
export function scriptOf(text: string): Script {
  const beginning = text.slice(0, 4 * maxLetters);
  // Avoids the slow classification for most texts.
  if (isAscii.test(beginning)) return /[A-Za-z]/.test(beginning) ? 'Latin' : 'none';
  const letters = (beginning.match(/\p{L}/gu) ?? []).slice(0, maxLetters);
  if (letters.length === 0) return 'none';
  const counts = new Map<Script, number>();
  for (const letter of letters) {
    const script = scriptOfLetter(letter);
    counts.set(script, (counts.get(script) ?? 0) + 1);
  }
  if ((counts.get('Japanese') ?? 0) > minKana * letters.length) return 'Japanese';
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'none';
}

const isAscii = /^[\0-\x7f]*$/;

const scriptOfLetter = (letter: string): Script =>
  (Object.keys(scripts) as (keyof typeof scripts)[]).find((name) => scripts[name].test(letter)) ?? 'other';
