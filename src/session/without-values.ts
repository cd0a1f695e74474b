import { isObject } from '../base/is-object.ts';

/** Shorter values are ordinary words and numbers. */
const shortestValue = 8;

/** Returns the words of a service without the values of variables that it quotes; `variableValues`: JSON text, or '' for none. */
export function withoutValues(text: string, variableValues: string): string {
  if (text === '' || variableValues === '') return text;
  return textsIn(JSON.parse(variableValues))
    .flatMap(formsOf)
    .filter((form) => form.length >= shortestValue)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, form) => rest.replaceAll(form, '[variable]'), text);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return isObject(value) || Array.isArray(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** As it is, on one line, and as a JSON string has it. */
const formsOf = (value: string): string[] => [
  value,
  value.replace(/\s+/g, ' ').trim(),
  JSON.stringify(value).slice(1, -1),
];
