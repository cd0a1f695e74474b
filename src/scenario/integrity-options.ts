import { z } from 'zod';
import { questions } from '../protocol/chat-messaging/questions.ts';
import { closedObject } from './closed-object.ts';
import { duration } from './duration.ts';
import type { IntegrityOptions } from './scenario.ts';

const wordsWith = (place: string) =>
  z.string().refine((text) => text.split(place).length === 2, `must hold ${place} once`);

const settings = closedObject({
  speak: z.boolean({ error: 'expected true or false' }).prefault(true),
  words: closedObject({
    remember: wordsWith('{{code}}').prefault(questions.remember('{{code}}')),
    recall: z.string().regex(/\S/, 'expected a question').prefault(questions.recall),
    tag: wordsWith('{{tag}}').prefault(questions.echo('{{tag}}')),
  }).prefault({}),
  transcript: z
    .string()
    .regex(/^[^.]+(\.[^.]+)*$/, 'expected a dotted path in `data`, such as conversation')
    .nullable()
    .optional(),
  variables: z.array(z.string()).prefault([]),
  idle: duration.prefault('5m'),
});

/** The option as read. */
type SettledIntegrity = Omit<z.output<typeof settings>, 'speak'> & { mode: 'off' | 'listen' | 'speak' };

/** The schema of `integrity`. What a missing `transcript` means depends on the target and is settled later. */
export const integrityOptions = z
  .custom<boolean | 'listen' | IntegrityOptions>()
  .transform((value, context): SettledIntegrity => {
    const read = settings.safeParse(isShort(value) ? { speak: value === true } : value, { error: anythingElse });
    if (read.success) {
      const { speak, ...rest } = read.data;
      return { ...rest, mode: value === false ? 'off' : speak ? 'speak' : 'listen' };
    }
    for (const issue of read.error.issues) context.issues.push({ ...issue, input: value } as never);
    return z.NEVER;
  });

const isShort = (value: unknown): boolean => typeof value === 'boolean' || value === 'listen';

const anythingElse = ({ code, path }: z.core.$ZodRawIssue): string | undefined =>
  code === 'invalid_type' && (path ?? []).length === 0
    ? "expected true, false, 'listen', or an object of options"
    : undefined;
