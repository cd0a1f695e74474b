import { z } from 'zod';
import { questions } from '../protocol/chat-messaging/questions.ts';
import { closedObject, expecting, readWith, truth } from './closed-object.ts';
import { duration } from './duration.ts';
import { defaulted, noted, option, type Written } from './option.ts';

const promptWith = (placeholder: string) =>
  z.string().refine((text) => text.split(placeholder).length === 2, `must contain ${placeholder} exactly once`);

export const integrityPromptsShape = {
  remember: defaulted(promptWith('{{code}}'), {
    meaning: 'Asks the agent to remember a code, which replaces `{{code}}`.',
    limits: 'with `{{code}}` once',
    default: questions.remember('{{code}}'),
    plan: 'remember',
  }),
  recall: defaulted(z.string().regex(/\S/, 'expected a question'), {
    meaning: 'Asks the agent for that code.',
    limits: 'not blank',
    default: questions.recall,
    plan: 'recall',
  }),
  tag: defaulted(promptWith('{{tag}}'), {
    meaning: 'Asks the agent to repeat a tag, which replaces `{{tag}}`.',
    limits: 'with `{{tag}}` once',
    default: questions.echo('{{tag}}'),
    plan: 'tag',
  }),
};

export const integrityShape = {
  active: defaulted(truth, {
    meaning: 'Adds codes and tags to messages; `false` only checks replies.',
    default: true,
  }),
  prompts: noted(closedObject(integrityPromptsShape).prefault({}), {
    meaning: 'Texts that an active guard adds to messages.',
    type: 'IntegrityPrompts',
    without: 'English defaults',
    isSection: true,
  }),
  transcript: option(
    z
      .string()
      .regex(/^[^.]+(\.[^.]+)*$/, 'expected a dotted path in `data`, such as conversation')
      .nullable(),
    {
      meaning:
        "Path in a reply's `data` to the turns so far, this one included: a dotted path to an array of the user's texts, or of objects with the text as `message`; `null`: no such list.",
      limits: 'a dotted path',
      without: "`'conversation'` for an active guard with the embedded service, otherwise `null`",
    },
  ),
  variables: defaulted(z.array(z.string()), {
    meaning:
      "Names of variables. Every reply must contain the session's values of these variables, and not those of another session.",
    default: [],
    plan: 'variables',
  }),
  idle: defaulted(duration, {
    meaning: 'Minimum idle time after which a forgotten code counts as amnesia.',
    default: '5m',
    plan: 'idleMs',
  }),
};
const settings = closedObject(integrityShape);

/** Resolved value of the option. */
type ResolvedIntegrity = z.output<typeof settings> & { mode: 'off' | 'passive' | 'active' };

/** The schema of `integrity`. The default of `transcript` depends on the target and is resolved later. */
export const integrityOptions = z
  .custom<boolean | 'passive' | Written<typeof integrityShape>>()
  .transform((value, context): ResolvedIntegrity => {
    const isShort = typeof value === 'boolean' || value === 'passive';
    const read = readWith(settings, isShort ? { active: value === true } : value, context, anythingElse);
    return { ...read, mode: value === false ? 'off' : read.active ? 'active' : 'passive' };
  });
const anythingElse = expecting("true, false, 'passive', or an object of options");
