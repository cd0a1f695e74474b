/**
 * The code of a language (ISO 639) as a file states it: a code (`en`, `en-US`) or an English name (`English`).
 * `undefined` for what is neither.
 */
export function languageOf(stated: string | undefined): string | undefined {
  if (stated === undefined) return undefined;
  const word = stated.trim().toLowerCase();
  const named = codesByName().get(word);
  if (named !== undefined) return named;
  const [code = ''] = word.split(/[-_]/);
  return knownCodes().has(code) ? code : undefined;
}

let codes: ReadonlySet<string> | undefined;

function knownCodes(): ReadonlySet<string> {
  codes ??= new Set(codesByName().values());
  return codes;
}

let known: ReadonlyMap<string, string> | undefined;

/** The two-letter codes by the English names of their languages, as the runtime knows them. */
function codesByName(): ReadonlyMap<string, string> {
  known ??= new Map(twoLetters().flatMap((code) => namesOf(code).map((name) => [name, code] as const)));
  return known;
}

const letters = Array.from('abcdefghijklmnopqrstuvwxyz');
const twoLetters = (): string[] => letters.flatMap((first) => letters.map((second) => first + second));

/** A code without a language has no name; some languages have several codes, of which the runtime keeps one. */
function namesOf(code: string): string[] {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const isCanonical = Intl.getCanonicalLocales(code)[0] === code;
  const name = isCanonical ? names.of(code) : undefined;
  return name === undefined ? [] : [name.toLowerCase()];
}
