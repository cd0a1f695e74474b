import { z } from 'zod';
import type { ReplyRequest } from './make-reply.ts';
import { isProblem, type Problem } from './model-api.ts';

/** Text, or parts of which those with a text count. */
const part = z.looseObject({ type: z.string(), text: z.string().optional() });
export const contentField = z.union([z.string(), z.array(part)], { error: 'expected a text or a list of parts' });

/** Returns the text of a content; texts of its parts are joined. */
export function textOf(content: z.infer<typeof contentField> | null | undefined): string {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

export const limitField = z.int().min(1).nullish();

interface CommonFields {
  model: string;
  stream?: boolean | null;
  tools?: unknown[] | null;
}

/** Returns the reader of bodies with these fields besides the common ones; the first invalid field is the problem. */
export function bodyReader<Fields extends z.ZodRawShape>(
  fields: Fields,
  read: (body: z.output<z.ZodObject<Fields>>) => Omit<ReplyRequest, 'model' | 'isStreamed' | 'hasTools'> | Problem,
): (body: unknown) => ReplyRequest | Problem {
  const stream = z.boolean().nullish();
  const tools = z.array(z.unknown()).nullish();
  const schema = z.looseObject({ model: z.string().min(1), ...fields, stream, tools });
  return (given) => {
    const parsed = schema.safeParse(given);
    if (!parsed.success) {
      const { path = [], message = '' } = parsed.error.issues[0] ?? {};
      const param = path.join('.');
      return { status: 400, message: param === '' ? message : `${param}: ${message}`, param };
    }
    const rest = read(parsed.data as z.output<z.ZodObject<Fields>>);
    if (isProblem(rest)) return rest;
    const { model, ...common } = parsed.data as CommonFields;
    return { ...rest, model, isStreamed: common.stream === true, hasTools: (common.tools?.length ?? 0) > 0 };
  };
}
