import { z } from 'zod';
import { questions } from '../protocol/chat-messaging/questions.ts';
import { closedObject } from './closed-object.ts';
import { duration } from './duration.ts';
import { defaulted, noted, option, type Written } from './option.ts';

const promptWith = (place: string) =>
  z.string().refine((text) => text.split(place).length === 2, `must hold ${place} once`);

export const integrityPromptsShape = {
  remember: defaulted(promptWith('{{code}}'), {
    meaning: 'Tells the agent a code to remember; `{{code}}` stands for it.',
    limits: 'with `{{code}}` once',
    default: questions.remember('{{code}}'),
    plan: 'remember',
  }),
  recall: defaulted(z.string().regex(/\S/, 'expected a question'), {
    meaning: 'Asks for that code.',
    limits: 'not blank',
    default: questions.recall,
    plan: 'recall',
  }),
  tag: defaulted(promptWith('{{tag}}'), {
    meaning: 'Asks the agent to give a tag back; `{{tag}}` stands for it.',
    limits: 'with `{{tag}}` once',
    default: questions.echo('{{tag}}'),
    plan: 'tag',
  }),
};

export const integrityShape = {
  active: defaulted(z.boolean({ error: 'expected true or false' }), {
    meaning: 'Adds codes and tags to messages; `false` only checks replies.',
    default: true,
  }),
  prompts: noted(closedObject(integrityPromptsShape).prefault({}), {
    meaning: 'What it says.',
    type: 'IntegrityPrompts',
    without: 'the English of its fields',
    isSection: true,
  }),
  transcript: option(
    z
      .string()
      .regex(/^[^.]+(\.[^.]+)*$/, 'expected a dotted path in `data`, such as conversation')
      .nullable(),
    {
      meaning:
        "Where in `data` of a reply the turns so far are found, this one included: the dotted path of an array of the user's texts, or of objects with the text as `message`; `null`: nowhere.",
      limits: 'a dotted path',
      without: "`'conversation'` for an active guard with the embedded service, else `null`",
    },
  ),
  variables: defaulted(z.array(z.string()), {
    meaning: 'Names of variable values whose text every reply must hold, and that of no other session.',
    default: [],
    plan: 'variables',
  }),
  idle: defaulted(duration, {
    meaning: 'From how long an idle time on a forgotten code counts as amnesia.',
    default: '5m',
    plan: 'idleMs',
  }),
};
const settings = closedObject(integrityShape);

/** The option as read. */
type SettledIntegrity = z.output<typeof settings> & { mode: 'off' | 'passive' | 'active' };

/** The schema of `integrity`. What a missing `transcript` means depends on the target and is settled later. */
export const integrityOptions = z
  .custom<boolean | 'passive' | Written<typeof integrityShape>>()
  .transform((value, context): SettledIntegrity => {
    const read = settings.safeParse(isShort(value) ? { active: value === true } : value, {
      error: anythingElse,
      reportInput: true,
    });
    if (read.success) {
      return { ...read.data, mode: value === false ? 'off' : read.data.active ? 'active' : 'passive' };
    }
    for (const issue of read.error.issues) context.issues.push({ input: value, ...issue } as never);
    return z.NEVER;
  });

const isShort = (value: unknown): boolean => typeof value === 'boolean' || value === 'passive';

const anythingElse = ({ code, path }: z.core.$ZodRawIssue): string | undefined =>
  code === 'invalid_type' && (path ?? []).length === 0
    ? "expected true, false, 'passive', or an object of options"
    : undefined;
