import { chatRequest } from '../chat-request.ts';
import { classifyWhole } from '../classify-whole.ts';
import { judgeCreation } from '../judge-creation.ts';
import { refuseResponse } from '../model-api/api-error.ts';
import { fixedFields, messageRoute, pathBelow } from '../model-api/message-route.ts';
import { compileInstructions } from '../instructions.ts';
import { readStreamed, readWhole } from '../model-api/read-reply.ts';
import type { ChatApi, ChatProtocol, ProtocolTarget } from '../protocol.ts';
import { judgeResponse } from './judge-response.ts';
import { ResponseReader } from './response-reader.ts';
import { ResponsesConversation, type ResponsesDialect } from './responses-conversation.ts';

const paths = { message: '/v1/responses', create: '/v1/conversations', mayLackVersion: true } as const;

/** OpenAI's responses: the service keeps the conversation, by the id of the reply before or that of a conversation. */
export const openaiResponses: ChatProtocol = {
  name: 'openai-responses',
  paths,
  history: 'service',
  outputLimit: 'max_output_tokens',
  createsSessions: ({ conversation }) => conversation === 'conversation',
  authorize: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  open: openApi,
  shortestReplies,
};

function openApi(target: ProtocolTarget): ChatApi {
  const fixed = fixedFields(target, {});
  const instructions = 'instructions' in target.messageBody ? () => '' : compileInstructions(target.instructions);
  const dialect: ResponsesDialect = {
    route: messageRoute(target, { path: paths.message, begin: () => new ResponseReader() }),
    fixedFields: (said) => fixed + textField('instructions', instructions(said)),
    read: target.stream ? readStreamed : readWhole(judgeResponse),
  };
  return {
    creation: target.conversation === 'conversation' ? creationOf(target) : undefined,
    converse: (sessionId) => new ResponsesConversation(sessionId, dialect),
  };
}

const textField = (name: string, text: string): string => (text === '' ? '' : `,"${name}":${JSON.stringify(text)}`);

const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };
const creationRules = { welcome: [200, 201], refuse: refuseResponse, judge: judgeCreation('id') };

function creationOf({ baseUrl }: ProtocolTarget): ChatApi['creation'] {
  const path = pathBelow(baseUrl, paths.create);
  return {
    request: chatRequest({ operation: 'create', method: 'POST', path, headers }, '{}'),
    read: (received) => classifyWhole(received, creationRules),
  };
}

function shortestReplies(text: string) {
  return {
    message: {
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: 'm',
      output: [
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        },
      ],
      usage: { input_tokens: 20, output_tokens: 14, total_tokens: 34 },
    },
    create: { id: 'conv_1', object: 'conversation', created_at: 1, metadata: {} },
  };
}
