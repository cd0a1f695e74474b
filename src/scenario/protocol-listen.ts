import type { z } from 'zod';
import type { ListenDefinition } from '../protocol/defined/definition.ts';
import { closedObject } from './closed-object.ts';
import { positiveDuration } from './duration.ts';
import {
  closeCodes,
  eventPlace,
  isFieldOfEvent,
  isFunction,
  isNamed,
  oneOf,
  textPlace,
  valuesShape,
} from './protocol-fields.ts';
import { choice } from './protocol-keywords.ts';

/** Words that people use for the transports of a stream. */
const otherNames: Readonly<Record<string, 'sse' | 'websocket'>> = {
  events: 'sse',
  'event-stream': 'sse',
  'text/event-stream': 'sse',
  http: 'sse',
  ws: 'websocket',
  wss: 'websocket',
  socket: 'websocket',
  'web-socket': 'websocket',
};

/** The schema of `reply.then.listen`. */
export const listen = closedObject({
  ...valuesShape,
  transport: choice('transport', ['sse', 'websocket'], otherNames).optional(),
  connect: oneOf<ListenDefinition['connect']>(
    [isFunction],
    "a function of the session, such as ({ sessionId }) => ({ path: ['conversations', sessionId, 'events'] })",
  ),
  match: oneOf<ListenDefinition['match']>(
    [isFunction],
    'a function of an event, such as (event, { acknowledgement }) => event.replyTo === acknowledgement.id',
  ),
  text: textPlace<ListenDefinition['text']>('event'),
  end: oneOf<ListenDefinition['end']>(
    [isFieldOfEvent, isFunction, isNamed('event')],
    "a dotted path to a field that is true in the last event, { event: 'done' }, or a function of the event: the stream stays open after a reply",
  ),
  reasoning: eventPlace.optional(),
  error: eventPlace.optional(),
  ready: eventPlace.optional(),
  pingInterval: positiveDuration.optional(),
  closeCodes: closeCodes.optional(),
}).superRefine(({ transport, end, ...given }, context) => {
  const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  if (transport === 'websocket') {
    if (typeof end === 'object')
      refuse(
        'end',
        "may not be the type of an event with transport: 'websocket', whose frames have none: set a path or a function",
      );
    return;
  }
  for (const name of ['ready', 'pingInterval', 'closeCodes'] as const)
    if (given[name] !== undefined) refuse(name, "requires transport: 'websocket'");
}) satisfies z.ZodType;
