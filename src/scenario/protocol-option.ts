import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { definedProtocol } from '../protocol/defined/defined-protocol.ts';
import { isTextual } from '../protocol/defined/stream-rules.ts';
import type {
  ApiDefinition,
  ConnectDefinition,
  ReadDefinition,
  SocketDefinition,
} from '../protocol/defined/definition.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';
import {
  type ProtocolName,
  protocolName,
  protocolNames,
  protocols,
  unknownProtocol,
} from '../protocol/registry/registry.ts';
import { closedObject, readWith } from './closed-object.ts';
import type { ProtocolDefinition } from './define-protocol.ts';
import { positiveDuration } from './duration.ts';
import {
  bodyPlace,
  closeCodes,
  eventPlace,
  functionOf,
  headersWith,
  isFieldOfEvent,
  isFunction,
  oneOf,
  pathWith,
  textPlace,
  valuesShape,
} from './protocol-fields.ts';
import { chosenId, checkSessions, creations, message } from './protocol-requests.ts';
import { poll, reply, stream } from './protocol-replies.ts';

const protocolShape = {
  name: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,40}$/, 'expected letters, digits and -, at most 40')
    .optional(),
  history: z.enum(['service', 'client']).optional(),
  authorize: functionOf<ApiDefinition['authorize']>('the API key'),
};
const errors = functionOf<ApiDefinition['errors']>('status and body');

/** The schema of a custom protocol: accepts an author's definition, returns durations in milliseconds. */
const protocolSchema = closedObject({
  ...protocolShape,
  cookies: z.boolean().optional(),
  sessionId: chosenId.optional(),
  createSession: creations.optional(),
  message,
  reply: reply.optional(),
  poll: poll.optional(),
  stream: stream.optional(),
  errors,
}).superRefine((definition, context) => {
  const { reply, poll, stream } = definition;
  const refuse = (path: string[], message: string): void => context.addIssue({ code: 'custom', path, message });
  checkSessions(definition, refuse);
  if (poll !== undefined && reply?.then !== undefined)
    refuse(['poll'], 'may not be set with reply.then, which has its own polls: omit one of them');
  if (stream !== undefined && reply?.then !== undefined)
    refuse(
      ['stream'],
      'may not be set with reply.then, whose functions read other replies: omit one of them, and describe the streamed API in a definition of its own',
    );
  if (reply !== undefined) return;
  const lacksText = stream !== undefined && stream.text === undefined && !isTextual(stream);
  if (stream === undefined) refuse(['reply'], "is required ({ text: 'data.text' }), unless stream is set");
  else if (lacksText) refuse(['stream', 'text'], 'is required without reply: where the text of an event is found');
  if (poll !== undefined) refuse(['poll'], 'needs reply: a streamed reply is not polled');
});

const subprotocols = oneOf<ConnectDefinition['subprotocols']>(
  [
    isFunction,
    (value) => Array.isArray(value) && value.every((name) => typeof name === 'string' && isSubprotocol(name)),
  ],
  "a list of names such as ['chat.v1'], which may contain {{apiKey}}, or a function that returns it",
);

const isSubprotocol = (name: string): boolean =>
  /^[!#$%&'*+\-.0-9A-Z^_`|a-z~]+$/.test(name.replaceAll('{{apiKey}}', 'key'));

const connect = closedObject({
  path: pathWith<ConnectDefinition['path']>(['sessionId', 'agentId', 'apiKey'], [isFunction]),
  headers: headersWith<ConnectDefinition['headers']>(['sessionId', 'agentId'], [isFunction]).optional(),
  subprotocols: subprotocols.optional(),
  frames: functionOf<ConnectDefinition['frames']>('the session'),
  ready: eventPlace.optional(),
  sessionId: bodyPlace<ConnectDefinition['sessionId']>().optional(),
  pingInterval: positiveDuration.optional(),
});

const read = closedObject({
  ...valuesShape,
  text: textPlace<ReadDefinition['text']>('event'),
  reasoning: eventPlace.optional(),
  end: oneOf<ReadDefinition['end']>(
    [isFieldOfEvent, isFunction],
    "a dotted path to a field that is true in the last frame, or a function of the frame: a closed socket ends no reply, and '[DONE]' is no frame in JSON",
  ),
  error: eventPlace.optional(),
  retryAfter: eventPlace.optional(),
});

/** The schema of a custom protocol over WebSocket. */
const socketSchema = closedObject({
  ...protocolShape,
  transport: z.literal('websocket', { error: "expected 'websocket'; omit it for requests over HTTP" }),
  connect,
  send: oneOf<SocketDefinition['send']>(
    [isFunction],
    'a function of the message, such as ({ message }) => ({ text: message })',
  ),
  read,
  match: eventPlace.optional(),
  cancel: functionOf<SocketDefinition['cancel']>('the id of the attempt'),
  closeCodes: closeCodes.optional(),
  errors,
}).superRefine(({ connect: { ready, sessionId } }, context) => {
  if (sessionId !== undefined && ready === undefined)
    context.addIssue({
      code: 'custom',
      path: ['connect', 'sessionId'],
      message: 'requires connect.ready: the id is found in that frame',
    });
});

/** The schema of `target.protocol`: accepts a name or a definition, returns the protocol. */
export const protocolOption = z
  .custom<ProtocolName | ProtocolDefinition>((value) => typeof value === 'string' || isObject(value), {
    error: `expected the name of a protocol (${protocolNames.join(', ')}), or defineProtocol({ ... })`,
  })
  .transform((value, context): ChatProtocol => {
    if (typeof value !== 'string') return readDefinition(value, context);
    const known = protocolName(value);
    if (known !== undefined) return protocols[known].protocol;
    context.issues.push({ code: 'custom', input: value, message: unknownProtocol(value) });
    return z.NEVER;
  });

/** Returns the protocol of a definition; adds all its problems to the context. */
function readDefinition(definition: ProtocolDefinition, context: z.RefinementCtx): ChatProtocol {
  const read =
    definition.transport === undefined
      ? readWith(protocolSchema, definition, context)
      : readWith(socketSchema, definition, context);
  if (context.issues.length > 0) return z.NEVER;
  if (protocolName(read.name) === undefined) return definedProtocol(read);
  const message = 'is the name of another protocol';
  context.issues.push({ code: 'custom', input: read.name, path: ['name'], message });
  return z.NEVER;
}
