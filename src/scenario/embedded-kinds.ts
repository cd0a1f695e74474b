import { z } from 'zod';
import { unknownName } from '../base/unknown-name.ts';
import { closedObject } from './closed-object.ts';

/** A kind of fault or sabotage: its description and its own fields, besides `kind` and its timing. */
export interface KindRow<Fields extends z.ZodRawShape = z.ZodRawShape> {
  meaning: string;
  /** The fields of an example, without `kind`. */
  example: object;
  fields: Fields;
}

type KindTable = Readonly<Record<string, KindRow>>;

/** The options of one of the kinds, as an author writes them, without their timing. */
export type KindOptions<Table extends KindTable> = {
  [Kind in keyof Table & string]: z.input<z.ZodObject<{ kind: z.ZodLiteral<Kind> } & Table[Kind]['fields']>>;
}[keyof Table & string];

type ReadKind<Table extends KindTable, Timing extends z.ZodRawShape> = {
  [Kind in keyof Table & string]: z.output<z.ZodObject<{ kind: z.ZodLiteral<Kind> } & Timing & Table[Kind]['fields']>>;
}[keyof Table & string];

export function kindsOf<Table extends KindTable>(table: Table): readonly (keyof Table & string)[] {
  return Object.keys(table);
}

/** Returns the schema of the kinds: `kind`, then the timing's fields, then the kind's own. */
export function kindSchema<Table extends KindTable, Timing extends z.ZodRawShape>(table: Table, timing: Timing) {
  const options = Object.entries(table).map(([kind, { fields }]) =>
    closedObject({ kind: z.literal(kind), ...timing, ...fields }),
  );
  const schema = z.discriminatedUnion('kind', options as never, {
    error: (issue) => unknownName('kind', writtenKind(issue.input), kindsOf(table)),
  });
  return schema as unknown as z.ZodType<ReadKind<Table, Timing>, never>;
}

function writtenKind(input: unknown): string {
  const given = typeof input === 'object' && input !== null && 'kind' in input ? input.kind : undefined;
  return typeof given === 'string' ? given : '';
}

/** Returns the meaning and an example of every kind, for `GET /` of the service and its page in the docs. */
export function kindNotes(table: KindTable): Readonly<Record<string, { meaning: string; example: { kind: string } }>> {
  const notes = Object.entries(table).map(([kind, { meaning, example }]) => {
    return [kind, { meaning, example: { kind, ...example } }] as const;
  });
  return Object.fromEntries(notes);
}

/** Returns a count of zero for every kind. */
export function zeroCounts<Table extends KindTable>(table: Table): Record<keyof Table, number> {
  return Object.fromEntries(kindsOf(table).map((kind) => [kind, 0])) as Record<keyof Table, number>;
}
