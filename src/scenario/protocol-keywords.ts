import leven from 'leven';
import { isObject } from '../base/is-object.ts';
import { nearestName, unknownName } from '../base/unknown-name.ts';
import type { StreamDefinition } from '../protocol/defined/definition.ts';
import { expected, field, isFunction, isNamed, isPath } from './protocol-fields.ts';

/** Returns a field with one of several words; `others`: words that people use for them. */
export function choice<Word extends string>(
  kind: string,
  words: readonly Word[],
  others: Readonly<Record<string, NoInfer<Word>>>,
) {
  return field<Word>((value) => {
    if (words.some((word) => word === value)) return undefined;
    if (typeof value !== 'string') return expected(words.map((word) => `'${word}'`).join(' or '), value);
    const meant = Object.hasOwn(others, value) ? others[value] : nearestName(value.toLowerCase(), words);
    return unknownName(kind, value, words, meant);
  });
}

export const endForms =
  "a dotted path to a field that is true in the last event, 'close', '[DONE]', { event: 'done' }, or a function of the event";

/** The end of a stream. A word like `closed` is taken as a misspelled `'close'`, not as a path. */
export const endField = field<StreamDefinition['end']>((value) => {
  if (isFunction(value) || isNamed('event')(value) || value === 'close' || value === '[DONE]') return undefined;
  if (isObject(value)) return keyProblem(Object.keys(value));
  if (typeof value !== 'string') return expected(endForms, value);
  const meant = endWordNear(value);
  if (meant !== undefined) return misspelled(value, meant);
  return isPath(value) ? undefined : expected(endForms, value);
});

const keyProblem = (keys: readonly string[]): string => {
  const other = keys.find((key) => key !== 'event');
  return other === undefined
    ? "expected the type of an event, such as { event: 'done' }"
    : unknownName('key', other, ['event']);
};

/** Returns the word that was probably meant instead of a path: one with the same letters but for case and signs, or for one letter. */
function endWordNear(given: string): 'close' | '[DONE]' | undefined {
  const word = given.slice(0, maxWordLength).trim();
  if (/^[a-z]+$/.test(word)) return isNearClose(word) ? 'close' : undefined;
  const letters = word.toLowerCase().replace(/[^a-z]/g, '');
  if (letters === 'done' || letters === 'datadone') return '[DONE]';
  return !word.includes('.') && isNearClose(letters) ? 'close' : undefined;
}

const isNearClose = (word: string): boolean =>
  word.startsWith('clos') || leven(word, 'close') <= 1 || sorted(word) === sorted('close');

const sorted = (word: string): string => Array.from(word).sort().join('');

const maxWordLength = 40;

const misspelled = (given: string, meant: string): string =>
  `unknown word '${given.slice(0, maxWordLength)}': did you mean '${meant}'? For a field of that name, set a function such as (event) => event.done === true`;
