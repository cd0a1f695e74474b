import { z } from 'zod';
import type { Problem } from './model-api.ts';

/** Text, or parts of which those with a text count. */
const part = z.looseObject({ type: z.string(), text: z.string().optional() });
export const contentField = z.union([z.string(), z.array(part)], { error: 'expected a text or a list of parts' });

/** The words in a content; those of its parts as one text. */
export function textOf(content: z.infer<typeof contentField> | null | undefined): string {
  if (content === null || content === undefined) return '';
  return typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('');
}

export const limitField = z.int().min(1).nullish();
export const toolsField = z.array(z.unknown()).nullish();
export const modelField = z.string().min(1);
export const streamField = z.boolean().nullish();

/** Reads a body by its schema; the first thing wrong with it is the problem. */
export function readBody<Body>(schema: z.ZodType<Body>, body: unknown): { body: Body } | Problem {
  const read = schema.safeParse(body);
  if (read.success) return { body: read.data };
  const { path = [], message = '' } = read.error.issues[0] ?? {};
  const param = path.join('.');
  return { status: 400, message: param === '' ? message : `${param}: ${message}`, param };
}
