import { shallowText } from '../../base/json.ts';
import type { Notes } from '../notes.ts';

/** Returns the input of a tool call as JSON text, `undefined` if it is nested too deeply; some services send the text instead of the object. */
export function inputText(input: unknown, notes: Notes): string | undefined {
  if (typeof input !== 'string') return shallowText(input ?? {});
  notes.add('input_text');
  return input === '' ? '{}' : input;
}

/** Adds a part of an input that is streamed as text; some services send the object, which is the whole input. One that is nested too deeply is ''. */
export function addInput(before: string, added: unknown, notes: Notes): string {
  if (typeof added === 'string') return before + added;
  if (added === undefined || added === null) return before;
  notes.add('arguments_value');
  return shallowText(added) ?? '';
}
