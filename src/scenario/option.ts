import { z } from 'zod';

/** The options of a shape as an author writes them. */
export type Written<Shape extends z.core.$ZodShape> = Given<z.input<z.ZodObject<Shape>>>;

/** Optional fields are never `undefined`, and lists may be read-only. */
type Given<Fields> = { [Name in keyof Fields]: ReadOnly<Exclude<Fields[Name], undefined>> };
type ReadOnly<Value> = Value extends (...given: never) => unknown
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly ReadOnly<Item>[]
    : Value extends object
      ? { [Name in keyof Value]: ReadOnly<Value[Name]> }
      : Value;

/** The group of an option in documents, and the commands that take its flag. */
export type OptionGroup =
  'workload' | 'load' | 'target' | 'embedded' | 'model' | 'timing' | 'retry' | 'judging' | 'limits' | 'output';

/** The note of an option, next to its schema. Its type, help, tables, the plan and the echo in results are generated from it. */
export interface OptionNote {
  /** Omitted if the section defines it. */
  group?: OptionGroup;
  /** Description in one sentence. */
  meaning: string;
  /** The default, as an author would write it. */
  default?: unknown;
  /** Description of the behaviour without the option, if its default is not a value. */
  without?: string;
  unit?: string;
  /** True if every scenario needs it. */
  required?: true;
  /** The TypeScript type, if the schema does not define it. */
  type?: string;
  /** Description of the allowed values, if the schema does not define them. */
  limits?: string;
  /** The value's key in the plan: the plan's schema and its values use it. */
  plan?: string;
  /** True if it is part of the workload, and so of the plan's hash. */
  hashed?: true;
  /** True if its parts are options with notes: it has no row in the option table. */
  isSection?: true;
  /** The command-line flag, without dashes; its environment name is `CHAT_LOAD_` and the flag in capitals. */
  flag?: string;
  /** A second flag for the same value, under the name that other tools use. */
  alias?: { flag: string; meaning: string };
  /**
   * The flag's kind of value; text by default. A list is a repeatable flag, comma-separated in the environment; lines are
   * the same, one per line there. A switch takes no value; an off-switch takes none and sets the option to false.
   */
  takes?: 'number' | 'list' | 'lines' | 'switch' | 'off-switch';
  /** Combines values of flags and environment with the file's value instead of replacing it. */
  adds?: (file: unknown, given: readonly unknown[]) => unknown;
  /** Meaning for the flag's help, if it differs. */
  flagMeaning?: string;
  /** The environment name of an option without a flag, or with a different name. */
  environment?: string;
  /** The remedy if the option is empty, in the environment too; otherwise an empty variable counts as unset. */
  ifEmpty?: string;
  /** Treats `undefined` as an empty value. */
  ifUndefined?: 'empty';
  /** True if it is never echoed. */
  secret?: true;
  /** Echoed as a digest only: texts and rows stay out of results. `of_file`: only for values of the file (a flag contains a name). */
  content?: true | 'of_file';
}

/** The remedy for an empty limit, which must not silently mean "no limit". */
export const unsetIt = 'omit the option for none';

const notes = z.registry<OptionNote>();

declare const planned: unique symbol;
/** A field whose value is in the plan, under this name. Exists for the compiler only. */
export interface Planned<Key extends string, Value> {
  readonly [planned]: { key: Key; value: Value };
}
type Field<Schema, Key extends string, Value> = [Key] extends [never] ? Schema : Schema & Planned<Key, Value>;
type Note<Key extends string> = OptionNote & { plan?: Key };

/** Returns an optional field with its note. In the plan it is `null` if not set. */
export function option<Schema extends z.ZodType, Key extends string = never>(
  schema: Schema,
  note: Note<Key> & { default?: never },
): Field<z.ZodOptional<Schema>, Key, z.output<Schema> | null> {
  return withNote(schema.optional(), note) as never;
}

/** Returns a field with a default: its parsed value is never `undefined`. */
export function defaulted<Schema extends z.ZodType, Key extends string = never>(
  schema: Schema,
  note: Note<Key> & { default: z.input<Schema> },
): Field<z.ZodPrefault<Schema>, Key, z.output<Schema>> {
  return withNote(schema.prefault(note.default as never), note) as never;
}

/** Returns a field whose default is filled in when the scenario is resolved, so that it remains known whether the field was set. */
export function assumed<Schema extends z.ZodType, Key extends string = never>(
  schema: Schema,
  note: Note<Key> & { default: z.input<Schema> },
): Field<z.ZodOptional<Schema>, Key, z.output<Schema>> {
  return withNote(schema.optional(), note) as never;
}

/** Returns the value of such a field, or its default. */
export function orDefault<Schema extends z.ZodType>(
  field: z.ZodOptional<Schema>,
  value: z.output<Schema> | undefined,
): z.output<Schema> {
  return value === undefined ? (defaultOf(field) as z.output<Schema>) : value;
}

/** Returns the parsed default of a field; `null` if it has none, `undefined` if the field is required. */
export function defaultOf(field: z.core.$ZodType): unknown {
  if (field instanceof z.ZodPrefault) return field.parse(undefined);
  if (!(field instanceof z.ZodOptional)) return undefined;
  const value = noteOf(field)?.default;
  return value === undefined ? null : z.parse(field.unwrap(), value);
}

/** Returns a field with its note, otherwise unchanged: a required one, or one with parts. */
export function noted<Schema extends z.ZodType, Key extends string = never>(
  schema: Schema,
  note: Note<Key>,
): Field<Schema, Key, z.output<Schema>> {
  return withNote(schema.clone(), note) as never;
}

function withNote<Schema extends z.ZodType>(field: Schema, note: OptionNote): Schema {
  notes.add(field, note);
  return field;
}

/** Returns the note of a field made by `option`, `defaulted`, `assumed` or `noted`. */
export function noteOf(field: z.core.$ZodType): OptionNote | undefined {
  return notes.get(field as z.ZodType);
}

/** Returns the defaults of all or some options in a section, as an author would write them. */
export function defaultsIn(shape: z.core.$ZodShape, names = Object.keys(shape)): Readonly<Record<string, unknown>> {
  const fields = Object.entries(shape).filter(([name]) => names.includes(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, noteOf(field)?.default]));
}

type SharedNote = Pick<OptionNote, 'type' | 'limits'>;
const sharedNotes = z.registry<SharedNote>();

/** Registers the type and limits of a schema that many options share. */
export function withSharedNote<Schema extends z.ZodType>(schema: Schema, note: SharedNote): Schema {
  sharedNotes.add(schema, note);
  return schema;
}

/** Returns the type and limits of a shared schema; `undefined` if none are registered. */
export function sharedNoteOf(schema: z.core.$ZodType): SharedNote | undefined {
  return sharedNotes.get(schema as z.ZodType);
}
