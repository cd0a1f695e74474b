import { unknownName } from '../../base/unknown-name.ts';
import { a2a } from '../a2a/a2a.ts';
import { aiSdk } from '../ai-sdk/ai-sdk.ts';
import { anthropicMessages } from '../anthropic-messages/anthropic-messages.ts';
import { azureOpenai } from '../azure-openai/azure-openai.ts';
import { bedrockConverse } from '../bedrock-converse/bedrock-converse.ts';
import { chatMessaging } from '../chat-messaging/chat-messaging.ts';
import { gemini } from '../gemini/gemini.ts';
import { langgraph } from '../langgraph/langgraph.ts';
import { openaiChat } from '../openai-chat/openai-chat.ts';
import { openaiRealtime } from '../openai-realtime/openai-realtime.ts';
import { openaiResponses } from '../openai-responses/openai-responses.ts';
import { openaiResponsesWebsocket } from '../openai-responses-websocket/openai-responses-websocket.ts';
import type { ChatProtocol } from '../protocol.ts';

/** A named protocol. Its folders are here, in `conformance` and in `reference-service/apis`; no other code refers to it. */
export interface ProtocolRow {
  readonly protocol: ChatProtocol;
  /** Other common names of its API. */
  readonly otherNames: readonly string[];
  /** Position in the order of preference if a service supports several. */
  readonly preference: number;
  /** Loads the rules of `check`. */
  readonly rules: () => Promise<{ readonly ruleSet: object }>;
  /** Loads the API of the reference service; omitted by protocols that it does not support. */
  readonly served?: () => Promise<{ readonly servedApi: object }>;
}

/** Protocols by name, in the order of documents; the first is the default. */
export const protocols = {
  'chat-messaging': {
    protocol: chatMessaging,
    otherNames: [],
    preference: 4,
    rules: () => import('../../conformance/chat-messaging/rules.ts'),
    served: () => import('../../reference-service/apis/chat-messaging/chat-messaging.ts'),
  },
  'openai-chat': {
    protocol: openaiChat,
    otherNames: ['openai', 'gpt', 'vllm'],
    preference: 1,
    rules: () => import('../../conformance/openai-chat/completion-rules.ts'),
    served: () => import('../../reference-service/apis/openai-chat/openai-chat.ts'),
  },
  'openai-responses': {
    protocol: openaiResponses,
    otherNames: ['responses'],
    preference: 3,
    rules: () => import('../../conformance/openai-responses/response-rules.ts'),
    served: () => import('../../reference-service/apis/openai-responses/openai-responses.ts'),
  },
  'openai-responses-websocket': {
    protocol: openaiResponsesWebsocket,
    otherNames: ['responses-websocket', 'responses-ws'],
    preference: 11,
    rules: () => import('../../conformance/openai-responses-websocket/socket-rules.ts'),
    served: () => import('../../reference-service/apis/openai-responses-websocket/openai-responses-websocket.ts'),
  },
  'openai-realtime': {
    protocol: openaiRealtime,
    otherNames: ['realtime'],
    preference: 12,
    rules: () => import('../../conformance/openai-realtime/session-rules.ts'),
  },
  'anthropic-messages': {
    protocol: anthropicMessages,
    otherNames: ['anthropic', 'claude'],
    preference: 2,
    rules: () => import('../../conformance/anthropic-messages/message-rules.ts'),
    served: () => import('../../reference-service/apis/anthropic-messages/anthropic-messages.ts'),
  },
  'ai-sdk': {
    protocol: aiSdk,
    otherNames: ['vercel', 'usechat', 'ui-message-stream'],
    preference: 5,
    rules: () => import('../../conformance/ai-sdk/chat-rules.ts'),
    served: () => import('../../reference-service/apis/ai-sdk/ai-sdk.ts'),
  },
  langgraph: {
    protocol: langgraph,
    otherNames: ['langgraph-platform', 'langsmith'],
    preference: 6,
    rules: () => import('../../conformance/langgraph/thread-rules.ts'),
    served: () => import('../../reference-service/apis/langgraph/langgraph.ts'),
  },
  a2a: {
    protocol: a2a,
    otherNames: ['agent2agent', 'agent-to-agent'],
    preference: 7,
    rules: () => import('../../conformance/a2a/task-rules.ts'),
    served: () => import('../../reference-service/apis/a2a/a2a.ts'),
  },
  'bedrock-converse': {
    protocol: bedrockConverse,
    otherNames: ['bedrock', 'aws', 'amazon-bedrock'],
    preference: 8,
    rules: () => import('../../conformance/bedrock-converse/converse-rules.ts'),
    served: () => import('../../reference-service/apis/bedrock-converse/bedrock-converse.ts'),
  },
  gemini: {
    protocol: gemini,
    otherNames: ['google', 'google-genai', 'vertex'],
    preference: 9,
    rules: () => import('../../conformance/gemini/content-rules.ts'),
    served: () => import('../../reference-service/apis/gemini/gemini.ts'),
  },
  'azure-openai': {
    protocol: azureOpenai,
    otherNames: ['azure', 'azure-chat', 'foundry'],
    preference: 10,
    rules: () => import('../../conformance/azure-openai/azure-rules.ts'),
    served: () => import('../../reference-service/apis/azure-openai/azure-openai.ts'),
  },
} satisfies Readonly<Record<string, ProtocolRow>>;

export type ProtocolName = keyof typeof protocols;
/** Protocols that the reference service supports. */
export type ServedName = {
  [Name in ProtocolName]: (typeof protocols)[Name] extends { served: unknown } ? Name : never;
}[ProtocolName];

export const protocolNames = Object.keys(protocols) as readonly ProtocolName[];
/** Returns the names of the protocols that the reference service supports. */
export function servedNames(): readonly ServedName[] {
  return (Object.keys(protocols) as ProtocolName[]).filter(isServed);
}
/** Default of scenarios; outputs omit its name. */
export const [defaultProtocol = 'chat-messaging'] = protocolNames;
/** Best first. */
export const preferredProtocols = protocolNames.toSorted(
  (one, other) => protocols[one].preference - protocols[other].preference,
);
export const [preferredProtocol = defaultProtocol] = preferredProtocols;

/** Returns the name of a protocol, if it is one. */
export function protocolName(given: unknown): ProtocolName | undefined {
  return typeof given === 'string' && Object.hasOwn(protocols, given) ? (given as ProtocolName) : undefined;
}

/** Reports whether the reference service supports a protocol. */
export function isServed(name: ProtocolName): name is ServedName {
  return 'served' in protocols[name];
}

/** Describes an unknown protocol, with the probable one. */
export function unknownProtocol(given: string): string {
  const name = given.toLowerCase();
  const meant = protocolNames.find((each) => (protocols[each].otherNames as readonly string[]).includes(name));
  if (meant !== undefined) return `unknown protocol '${given}': did you mean '${meant}'?`;
  const known = unknownName('protocol', given, protocolNames);
  return known.endsWith('?')
    ? known
    : `${known}. Describe another API with defineProtocol (docs/reference/protocols.md)`;
}
