import { z } from 'zod';

/** What is said of an option, once, beside its schema: help texts, tables and the echo in results are made from it. */
export interface OptionNote {
  group: 'workload' | 'load' | 'target' | 'timing' | 'retry' | 'judging' | 'limits' | 'output';
  /** One sentence; for a field of the scenario file the same words as its doc comment. */
  meaning: string;
  /** The value where none is given, as an author would write it. */
  default?: unknown;
  unit?: string;
  /** There is no scenario without it. */
  required?: true;
  /** The command-line flag, without dashes; its environment name is `CHAT_LOAD_` and the flag in capitals. */
  flag?: string;
  /** What the flag takes; text unless it says otherwise. A list is a flag given again and again; commas part it in the environment. A switch takes nothing. */
  takes?: 'number' | 'list' | 'switch';
  /** The environment name of an option that has no flag, or is not named after it. */
  environment?: string;
  /** For an option that is not to be given and empty, in the environment neither, which is else as good as not given: the remedy. */
  ifEmpty?: string;
  /** Such an option is not to be there and `undefined` either. */
  ifUndefined?: 'empty';
  /** Never echoed. */
  secret?: true;
  /** Not echoed as it is: texts and rows stay out of results, which show a digest of them. */
  content?: true;
}

/** The remedy for a bound that is empty: to go without one in silence would be the worst of readings. */
export const unsetIt = 'leave the option out for none';

const notes = z.registry<OptionNote>();

/** An optional field with its note; a default takes the place of a missing value. */
export function option<Schema extends z.ZodType>(schema: Schema, note: OptionNote) {
  const field = schema.optional();
  notes.add(field, note);
  return field;
}

/** The same for a field that has a default: what is read is never `undefined`. */
export function defaulted<Schema extends z.ZodType>(schema: Schema, note: OptionNote & { default: z.input<Schema> }) {
  const field = schema.prefault(note.default as never);
  notes.add(field, note);
  return field;
}

/** A field as it is, with its note: one that is required, or has parts of its own. */
export function noted<Schema extends z.ZodType>(field: Schema, note: OptionNote): Schema {
  notes.add(field, note);
  return field;
}

/** The note of a field made by `option`, `defaulted` or `noted`. */
export function noteOf(field: z.core.$ZodType): OptionNote | undefined {
  return notes.get(field as z.ZodType);
}
