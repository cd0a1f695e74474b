import { eventStreamPackage } from '../../base/event-stream-codec.ts';
import { isObject } from '../../base/is-object.ts';
import { jsonIn } from '../classify-whole.ts';
import { compileInstructions } from '../instructions.ts';
import { EventStream } from '../model-api/event-stream.ts';
import { KeptConversation, type KeptDialect } from '../model-api/kept-conversation.ts';
import { withModel } from '../model-api/message-route.ts';
import { readStreamed, readWhole } from '../model-api/read-reply.ts';
import type { ChatApi, ChatProtocol, ProtocolTarget, Route, ToolCall, ToolResult } from '../protocol.ts';
import { ConverseReader, judgeConverse } from './read-converse.ts';

const paths = { message: '/model/{model}/converse', streamed: '/model/{model}/converse-stream' } as const;

/**
 * The Converse API of Amazon Bedrock: the client sends the whole conversation with every turn, and the path names the model.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
 */
export const bedrockConverse: ChatProtocol = {
  name: 'bedrock-converse',
  paths,
  base: { host: /^bedrock-runtime(?:-fips)?\.[\w-]+\.amazonaws\.com$/ },
  history: 'client',
  streamPackage: eventStreamPackage,
  createsSessions: () => false,
  authorize: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  open: openApi,
};

function openApi(target: ProtocolTarget): ChatApi {
  const { stream, messageBody } = target;
  const instructions = 'system' in messageBody ? () => '' : compileInstructions(target.instructions);
  // The messages are the protocol's.
  const theirs = JSON.stringify({ ...messageBody, messages: undefined }).slice(1, -1);
  const dialect: KeptDialect = {
    route: routeOf(target),
    body: (messages, turnContent) =>
      `{${theirs}${theirs === '' ? '' : ','}${systemField(instructions(turnContent))}"messages":[${messages}]}`,
    userMessage: (message) => `{"role":"user","content":[{"text":${JSON.stringify(message)}}]}`,
    resultMessages,
    answerMessage,
    read: stream ? readStreamed : readWhole((reply) => judgeConverse(reply)),
  };
  return { creation: undefined, converse: (sessionId) => new KeptConversation(sessionId, dialect) };
}

function routeOf(target: ProtocolTarget): Route {
  const { stream, messagesPath } = target;
  return {
    operation: 'message',
    method: 'POST',
    path: withModel(messagesPath ?? (stream ? paths.streamed : paths.message), target),
    headers: {
      'Content-Type': 'application/json',
      Accept: stream ? 'application/vnd.amazon.eventstream' : 'application/json',
    },
    stream: stream ? { framing: 'aws-event-stream', begin: () => new EventStream(new ConverseReader()) } : undefined,
  };
}

const systemField = (system: string): string => (system === '' ? '' : `"system":[{"text":${JSON.stringify(system)}}],`);

const resultMessages = (results: readonly ToolResult[]): string =>
  JSON.stringify({ role: 'user', content: results.map(writeResult) });

const writeResult = ({ id, content }: ToolResult): object => ({
  toolResult: { toolUseId: id, content: [{ text: content }], status: 'success' },
});

/** Serializes a reply; '' for an empty one, because the API rejects empty content. */
function answerMessage(text: string, calls: readonly ToolCall[]): string {
  const content = [...(text === '' ? [] : [{ text }]), ...calls.map(writeCall)];
  return content.length === 0 ? '' : JSON.stringify({ role: 'assistant', content });
}

function writeCall({ id, name, arguments: text }: ToolCall): object {
  const input = jsonIn(text);
  return { toolUse: { toolUseId: id, name, input: isObject(input) ? input : {} } };
}
