import { z } from 'zod';

/** What an author writes for the options of a shape. */
export type Written<Shape extends z.core.$ZodShape> = Given<z.input<z.ZodObject<Shape>>>;

/** What may be left out is never `undefined`, and lists may be read-only. */
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
  'workload' | 'load' | 'target' | 'embedded' | 'timing' | 'retry' | 'judging' | 'limits' | 'output';

/**
 * The note of an option, beside its schema: its type, help, tables, the plan and the echo in results are generated from
 * it.
 */
export interface OptionNote {
  /** Left out where the section says it. */
  group?: OptionGroup;
  /** One sentence. */
  meaning: string;
  /** The value where none is given, as an author would write it. */
  default?: unknown;
  /** What applies where none is given, in words: for an option whose default is not a value. */
  without?: string;
  unit?: string;
  /** There is no scenario without it. */
  required?: true;
  /** The TypeScript type, where the schema does not say it. */
  type?: string;
  /** What values it takes, in words, where the schema does not say it. */
  limits?: string;
  /** The name in the plan of the value as read: the schema of the plan and the settling take it from here. */
  plan?: string;
  /** It is part of what is asked of the service, so of the hash of the plan. */
  hashed?: true;
  /** Its parts are options with notes of their own, by which it is set: it has no row in the option table. */
  isSection?: true;
  /** The command-line flag, without dashes; its environment name is `CHAT_LOAD_` and the flag in capitals. */
  flag?: string;
  /** A second flag for the same value, under the name that other tools use. */
  alias?: { flag: string; meaning: string };
  /**
   * What the flag takes; default text. A list is a repeatable flag, comma-separated in the environment; lines are the
   * same, one a line there. A switch takes nothing; an off-switch takes nothing and sets the option to false.
   */
  takes?: 'number' | 'list' | 'lines' | 'switch' | 'off-switch';
  /** What flags and environment give does not replace the value of the file: both together are the value. */
  adds?: (file: unknown, given: readonly unknown[]) => unknown;
  /** The same for its flag, where that says it in another way. */
  flagMeaning?: string;
  /** The environment name of an option that has no flag, or is not named after it. */
  environment?: string;
  /**
   * The remedy if the option is given but empty, in the environment too; otherwise an empty variable counts as unset.
   */
  ifEmpty?: string;
  /** Such an option must not be `undefined` either. */
  ifUndefined?: 'empty';
  /** Never echoed. */
  secret?: true;
  /**
   * Not echoed as it is: texts and rows stay out of results, which show a digest of them. `of_file`: what the file says
   * alone, since a flag gives a name.
   */
  content?: true | 'of_file';
}

/** The remedy for an empty bound: silently running without one would be the worst interpretation. */
export const unsetIt = 'leave the option out for none';

const notes = z.registry<OptionNote>();

declare const planned: unique symbol;
/** A field whose value is in the plan, under this name. Exists for the compiler only. */
export interface Planned<Key extends string, Value> {
  readonly [planned]: { key: Key; value: Value };
}
type Field<Schema, Key extends string, Value> = [Key] extends [never] ? Schema : Schema & Planned<Key, Value>;
type Note<Key extends string> = OptionNote & { plan?: Key };

/** An optional field with its note. In the plan it is `null` where it is not given. */
export function option<Schema extends z.ZodType, Key extends string = never>(
  schema: Schema,
  note: Note<Key> & { default?: never },
): Field<z.ZodOptional<Schema>, Key, z.output<Schema> | null> {
  return withNote(schema.optional(), note) as never;
}

/** A field that has a default: what is read is never `undefined`. */
export function defaulted<Schema extends z.ZodType, Key extends string = never>(
  schema: Schema,
  note: Note<Key> & { default: z.input<Schema> },
): Field<z.ZodPrefault<Schema>, Key, z.output<Schema>> {
  return withNote(schema.prefault(note.default as never), note) as never;
}

/** A field whose default is filled in when the scenario is settled: until then it is known whether it was given. */
export function assumed<Schema extends z.ZodType, Key extends string = never>(
  schema: Schema,
  note: Note<Key> & { default: z.input<Schema> },
): Field<z.ZodOptional<Schema>, Key, z.output<Schema>> {
  return withNote(schema.optional(), note) as never;
}

/** The value of such a field, or its default. */
export function orDefault<Schema extends z.ZodType>(
  field: z.ZodOptional<Schema>,
  value: z.output<Schema> | undefined,
): z.output<Schema> {
  return value === undefined ? (defaultOf(field) as z.output<Schema>) : value;
}

/** What a field reads as where it is not given; `null` for one without a default, `undefined` for one that is required. */
export function defaultOf(field: z.core.$ZodType): unknown {
  if (field instanceof z.ZodPrefault) return field.parse(undefined);
  if (!(field instanceof z.ZodOptional)) return undefined;
  const value = noteOf(field)?.default;
  return value === undefined ? null : z.parse(field.unwrap(), value);
}

/** A field as it is, with its note: one that is required, or has parts of its own. */
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

/** The note of a field made by `option`, `defaulted`, `assumed` or `noted`. */
export function noteOf(field: z.core.$ZodType): OptionNote | undefined {
  return notes.get(field as z.ZodType);
}

/** The defaults of the options in a section, or of some of them, as an author would write them. */
export function defaultsIn(shape: z.core.$ZodShape, names = Object.keys(shape)): Readonly<Record<string, unknown>> {
  const fields = Object.entries(shape).filter(([name]) => names.includes(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, noteOf(field)?.default]));
}

type Words = Pick<OptionNote, 'type' | 'limits'>;
const words = z.registry<Words>();

/** A schema that many options share, with its type and its limits in words. */
export function worded<Schema extends z.ZodType>(schema: Schema, said: Words): Schema {
  words.add(schema, said);
  return schema;
}

/** Those words; `undefined` for a schema that has none. */
export function wordsOf(schema: z.core.$ZodType): Words | undefined {
  return words.get(schema as z.ZodType);
}
