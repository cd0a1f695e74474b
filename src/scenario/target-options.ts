import { z } from 'zod';
import { sessionsPath } from '../protocol/chat-messaging/api.ts';
import { closedObject } from './closed-object.ts';
import { localAddresses } from './local-addresses.ts';
import { defaulted, noted, option } from './option.ts';

const wrongUrl = { error: "expected a URL such as 'https://api.example.com', or 'embedded'" };
const baseUrl = z.union(
  [z.literal('embedded').transform(() => undefined), z.url({ protocol: /^https?$/, ...wrongUrl })],
  wrongUrl,
);

export const createShape = {
  path: defaulted(z.string().startsWith('/'), {
    meaning: 'Path of the POST that creates a session, below the base URL.',
    limits: 'begins with `/`',
    default: sessionsPath,
    plan: 'path',
  }),
  body: defaulted(z.record(z.string(), z.unknown()), {
    meaning: 'Body of that POST; `{{agentId}}` stands for the agent.',
    default: { agentId: '{{agentId}}' },
    plan: 'body',
  }),
  sessionIdFrom: defaulted(z.string().regex(/^[^.]+(\.[^.]+)*$/, 'expected a dotted path such as data.sessionId'), {
    meaning: 'Where the session id is found in the reply, as a dotted path.',
    limits: 'a dotted path',
    default: 'data.sessionId',
    plan: 'sessionIdFrom',
  }),
};

export const targetShape = {
  baseUrl: option(baseUrl, {
    meaning:
      "The URL of the service, such as `https://api.example.com`; a path in it is kept as a prefix. `'embedded'`, or no such key: the embedded service.",
    limits: 'an http or https URL',
    without: 'the embedded service',
    flag: 'base-url',
    ifEmpty: "leave the option out, or set it to 'embedded', for the embedded service",
    ifUndefined: 'empty',
  }),
  apiKey: option(z.string().min(1), {
    meaning: 'The API key; better set in the environment than in the file.',
    environment: 'CHAT_LOAD_API_KEY',
    secret: true,
  }),
  agentId: option(z.string().min(1), {
    meaning: 'The agent to talk to.',
    flag: 'agent-id',
    ifEmpty: 'name the agent with --agent-id',
  }),
  localAddresses: option(localAddresses, {
    meaning: 'Addresses of this machine to connect from, dealt cyclically; each has a range of local ports of its own.',
    without: 'the system chooses',
    flag: 'local-address',
    environment: 'CHAT_LOAD_LOCAL_ADDRESSES',
    takes: 'list',
  }),
  createSession: noted(closedObject(createShape).prefault({}), {
    meaning: 'How a session is created, which the API description leaves open.',
    type: 'CreateSessionOptions',
    without: 'the defaults of its fields',
    isSection: true,
  }),
};

/** The schema of `target`. */
export const targetOptions = closedObject(targetShape);
