import { z } from 'zod';
import { parseJson } from '../../../base/json.ts';
import { fromShardSchema, toShardSchema } from '../../../fleet/messages.ts';

/** What a worker says of one shard: the words of the shard itself, or that its process has ended. */
export const ofShardSchema = z.discriminatedUnion('kind', [
  fromShardSchema,
  z.object({ kind: z.literal('gone'), reason: z.string() }),
]);

/** Fields of an entry of the stream from the shards. `number`: from 1, without gaps, for each shard. */
export const saidEntrySchema = z.object({
  shard: z.coerce.number().pipe(z.int().min(0)),
  number: z.coerce.number().pipe(z.int().min(1)),
  clockUncertaintyMs: z.coerce.number().pipe(z.number().min(0)),
  /** JSON of `ofShardSchema`. */
  said: z.string(),
});
export type SaidEntry = z.infer<typeof saidEntrySchema>;

const [startSchema, stopSchema] = toShardSchema.options;

/** What a shard is to do. `start`: in milliseconds of the clock of Redis. */
const ordersSchema = z.object({ start: startSchema.shape.at.nullable(), stop: stopSchema.shape.level.nullable() });

/**
 * The heartbeat of a coordinator: all that it has told so far, so that the newest one alone matters, and one that was
 * lost is made up for by the next.
 */
export const toldSchema = z.object({
  /** From 1, by one with each heartbeat. */
  number: z.int().min(1),
  /** For every shard. */
  all: ordersSchema,
  /** What was told to one shard alone. */
  only: z.array(ordersSchema.extend({ shard: z.int().min(0), isAbandoned: z.boolean() })),
  /** By shard: the number of its last entry that was read. */
  acknowledged: z.array(z.int().min(0)),
  /** The run is over. */
  isClosed: z.boolean(),
});
export type Told = z.infer<typeof toldSchema>;
export type Orders = z.infer<typeof ordersSchema>;

/** JSON that came over the wire, as a schema says; `undefined`: it is none of that. */
export function parsed<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  try {
    return schema.safeParse(parseJson(text ?? '')).data;
  } catch {
    return undefined;
  }
}
