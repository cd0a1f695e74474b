import { isObject, valueAt } from '../../base/is-object.ts';
import { classifyWhole, jsonIn } from '../classify-whole.ts';
import { compileInstructions } from '../instructions.ts';
import { KeptConversation, type KeptDialect } from '../model-api/kept-conversation.ts';
import { messageRoute } from '../model-api/message-route.ts';
import { readStreamed, refuseInstead, type Fields } from '../model-api/read-reply.ts';
import type {
  ChatApi,
  ChatProtocol,
  ProtocolTarget,
  Received,
  Route,
  ToolCall,
  ToolResult,
  Verdict,
} from '../protocol.ts';
import { ContentReader, judgeContent, refuseGemini, waitIn } from './read-content.ts';

const paths = {
  message: '/v1beta/models/{model}:generateContent',
  streamed: '/v1beta/models/{model}:streamGenerateContent?alt=sse',
} as const;

/**
 * The Gemini API, `generateContent` and `streamGenerateContent`: the client sends the whole conversation with every turn, and
 * the path names the model. Source: https://ai.google.dev/api/generate-content
 */
export const gemini: ChatProtocol = {
  name: 'gemini',
  paths,
  base: {
    host: /^generativelanguage\.googleapis\.com$/,
    end: /\/v1(?:alpha|beta)\d*$|\/publishers\/google$/,
    model: /^(?:(?:tuned)?models\/)?(?:gemini|gemma)/i,
  },
  history: 'client',
  createsSessions: () => false,
  authorize: (apiKey) => ({ 'x-goog-api-key': apiKey }),
  open: openApi,
};

function openApi(target: ProtocolTarget): ChatApi {
  const { stream, messageBody } = target;
  const instructions = 'systemInstruction' in messageBody ? () => '' : compileInstructions(target.instructions);
  // The contents are the protocol's.
  const theirs = JSON.stringify({ ...messageBody, contents: undefined }).slice(1, -1);
  const dialect: KeptDialect = {
    route: routeOf(target),
    body: (messages, turnContent) =>
      `{${theirs}${theirs === '' ? '' : ','}${systemField(instructions(turnContent))}"contents":[${messages}]}`,
    userMessage: (message) => `{"role":"user","parts":[{"text":${JSON.stringify(message)}}]}`,
    resultMessages,
    answerMessage,
    read: (received) =>
      withWait(received, stream ? readStreamed(received, refuseGemini) : classifyWhole(received, wholeRules)),
  };
  return { creation: undefined, converse: (sessionId) => new KeptConversation(sessionId, dialect) };
}

const wholeRules = {
  welcome: [200],
  refuse: refuseGemini,
  judge: (response: Fields) => judgeContent(response),
  instead: refuseInstead,
};

/** Adds the wait that the body of a refusal asks for: the API has no `Retry-After`. */
function withWait(received: Received, verdict: Verdict): Verdict {
  const retryAfter = received.status === 429 || received.status === 503 ? waitIn(jsonIn(received.body)) : undefined;
  return retryAfter === undefined ? verdict : { ...verdict, retryAfter };
}

function routeOf(target: ProtocolTarget): Route {
  const { agentId, baseUrl, stream, messageBody } = target;
  const hasOneCandidate = Number(valueAt(messageBody, ['generationConfig', 'candidateCount']) ?? 1) <= 1;
  const path = stream ? paths.streamed : paths.message;
  const prefix = baseUrl === null ? '' : new URL(baseUrl).pathname;
  const below = /\/v1(beta|alpha)?\d*(\/|$)/.test(prefix) ? path.slice('/v1beta'.length) : path;
  return messageRoute(target, {
    // Tuned models have a collection of their own.
    path: agentId.includes('/')
      ? below.replace('models/{model}', () => agentId.split('/').map(encodeURIComponent).join('/'))
      : below,
    begin: () => new ContentReader(hasOneCandidate),
    // Without `alt=sse`, which a gateway may drop, the API streams one array.
    mayBeArray: true,
  });
}

const systemField = (system: string): string =>
  system === '' ? '' : `"systemInstruction":{"parts":[{"text":${JSON.stringify(system)}}]},`;

const resultMessages = (results: readonly ToolResult[]): string =>
  JSON.stringify({ role: 'user', parts: results.map(writeResult) });

function writeResult({ id, name, content }: ToolResult): object {
  const result = jsonIn(content);
  return { functionResponse: { ...idOf(id), name, response: isObject(result) ? result : { result: content } } };
}

/** Serializes a reply; '' for an empty one, because the API rejects contents without parts. */
function answerMessage(text: string, calls: readonly ToolCall[]): string {
  const parts = [...(text === '' ? [] : [{ text }]), ...calls.map(writeCall)];
  return parts.length === 0 ? '' : JSON.stringify({ role: 'model', parts });
}

function writeCall({ id, name, arguments: text, signature }: ToolCall): object {
  const args = jsonIn(text);
  const functionCall = { ...idOf(id), name, args: isObject(args) ? args : {} };
  return signature === undefined ? { functionCall } : { functionCall, thoughtSignature: signature };
}

/** Calls need no id: one that was made up is not sent. */
const idOf = (id: string): { id?: string } => (id.startsWith('unnamed-') ? {} : { id });
