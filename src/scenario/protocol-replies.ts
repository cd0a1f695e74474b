import { z } from 'zod';
import { isTextual } from '../protocol/defined/stream-rules.ts';
import type { LaterPolls, PollDefinition, ReplyDefinition, StreamDefinition } from '../protocol/defined/definition.ts';
import { closedObject } from './closed-object.ts';
import { listen } from './protocol-listen.ts';
import { positiveDuration } from './duration.ts';
import {
  bodyPlace,
  eventPlace,
  functionOf,
  isFunction,
  oneOf,
  place,
  textPlace,
  valuesShape,
} from './protocol-fields.ts';
import { choice, endField, endForms } from './protocol-keywords.ts';

const textOf = "(a dotted path such as 'data.text', or a function of the body)";

const requiredFunction = <Value>(example: string) =>
  oneOf<Value>([isFunction], `a function of the replies so far, such as ${example}`);

const laterPolls = closedObject({
  request: requiredFunction<LaterPolls['request']>("([ack]) => ({ path: ['runs', ack.id] })"),
  every: positiveDuration.optional(),
  done: requiredFunction<LaterPolls['done']>("(replies) => replies.at(-1)?.status === 'completed'"),
  text: requiredFunction<LaterPolls['text']>('(replies) => replies.at(-1)?.answer'),
  fail: functionOf<LaterPolls['fail']>('the replies so far'),
});

/** The schema of `reply.then`. */
const later = closedObject({ poll: laterPolls.optional(), listen: listen.optional() }).superRefine(
  ({ poll, listen }, context) => {
    if ((poll === undefined) === (listen === undefined))
      context.addIssue({ code: 'custom', message: 'requires either poll or listen' });
  },
);

/** The schema of `reply`. */
export const reply = closedObject({
  format: choice('format', ['json', 'text'], { plain: 'text', 'text/plain': 'text' }).optional(),
  text: textPlace<ReplyDefinition['text']>().optional(),
  then: later.optional(),
  ...valuesShape,
}).superRefine((given, context) => {
  if (given.then !== undefined) refuseWithLater(given, context);
  else if (given.format === 'text') refusePaths(given, "reply.format: 'text'", context);
  else if (given.text === undefined)
    context.addIssue({ code: 'custom', path: ['text'], message: `is required ${textOf}` });
});

function refuseWithLater({ format, text }: ReplyDefinition, context: z.RefinementCtx): void {
  if (text !== undefined)
    context.addIssue({
      code: 'custom',
      path: ['text'],
      message: 'may not be set with reply.then: use the text of reply.then',
    });
  if (format === 'text')
    context.addIssue({ code: 'custom', path: ['format'], message: "is 'json' with reply.then: omit it" });
}

/** The schema of `poll`. */
export const poll = closedObject({
  url: place,
  status: z.int().min(200).max(599).optional(),
  done: bodyPlace<PollDefinition['done']>().optional(),
  every: positiveDuration.optional(),
});

const formats = ['sse', 'json-lines', 'text'] as const;
const otherNames: Readonly<Record<string, (typeof formats)[number]>> = {
  'event-stream': 'sse',
  'text/event-stream': 'sse',
  events: 'sse',
  ndjson: 'json-lines',
  jsonl: 'json-lines',
  lines: 'json-lines',
  plain: 'text',
  'text/plain': 'text',
};

/** The schema of `stream`. */
export const stream = closedObject({
  text: textPlace<StreamDefinition['text']>().optional(),
  ...valuesShape,
  format: choice('format', formats, otherNames),
  data: choice('data', ['json', 'text'], {
    plain: 'text',
    'text/plain': 'text',
    'application/json': 'json',
  }).optional(),
  reasoning: eventPlace.optional(),
  end: endField.optional(),
  error: eventPlace.optional(),
}).superRefine((given, context) => {
  const { format, data, end } = given;
  const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  if (end === undefined && format !== 'text') refuse('end', `is required (${endForms})`);
  if (format === 'text' && data === 'json') refuse('data', "is 'text' with stream.format: 'text': omit it");
  if (format === 'text' && end !== undefined && end !== 'close')
    refuse('end', "is 'close' with stream.format: 'text': omit it");
  if (!isTextual(given)) return;
  const cause = format === 'text' ? "stream.format: 'text'" : "stream.data: 'text'";
  refusePaths(given, cause, context);
  if (format !== 'text' && typeof end === 'string' && end !== 'close' && end !== '[DONE]')
    refuse('end', `${noFields(cause)}: '[DONE]', 'close', { event: 'done' }, or a function of the text`);
});

const noFields = (cause: string): string => `may not be a path with ${cause}: a text has no fields`;

/** Refuses paths into a text. */
function refusePaths(given: Readonly<Record<string, unknown>>, cause: string, context: z.RefinementCtx): void {
  for (const name of ['text', 'reasoning', 'error', ...Object.keys(valuesShape)]) {
    const value = given[name];
    if (value === undefined || typeof value === 'boolean' || isFunction(value)) continue;
    context.addIssue({
      code: 'custom',
      path: [name],
      message: `${noFields(cause)}. Omit it, or set a function of the text`,
    });
  }
}
