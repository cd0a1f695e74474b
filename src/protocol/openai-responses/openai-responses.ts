import { chatRequest } from '../chat-request.ts';
import { classifyWhole, judgeCreation } from '../classify-whole.ts';
import { refuseResponse } from '../model-api/api-error.ts';
import { fixedFields, messageRoute, pathBelow } from '../model-api/message-route.ts';
import { compileInstructions } from '../instructions.ts';
import { readStreamed, readWhole } from '../model-api/read-reply.ts';
import type {
  ChatApi,
  ChatProtocol,
  ChatRequest,
  Conversation,
  ProtocolTarget,
  Received,
  Reply,
  Route,
  TurnContent,
  ToolResult,
  Verdict,
} from '../protocol.ts';
import { judgeResponse } from './judge-output.ts';
import { ResponseReader } from './read-response.ts';

const paths = { message: '/v1/responses', create: '/v1/conversations', mayLackVersion: true } as const;

/** OpenAI's responses: the service keeps the conversation, by the id of the previous reply or of a conversation. */
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
    fixedFields: (turnContent) => fixed + field('instructions', instructions(turnContent)),
    read: target.stream ? readStreamed : readWhole((response) => judgeResponse(response)),
  };
  return {
    creation: target.conversation === 'conversation' ? creationOf(target) : undefined,
    converse: (sessionId) => new ResponsesConversation(sessionId, dialect),
  };
}

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

/** The shared part of all conversations with a target. */
interface ResponsesDialect {
  readonly route: Route;
  /** Returns the beginning of a body, without its `}`. */
  fixedFields(turnContent: TurnContent): string;
  read(received: Received): Verdict;
}

/** A conversation that the service keeps. A class, because a hundred thousand instances may exist at the same time. */
class ResponsesConversation implements Conversation {
  readonly sessionId: string;
  readonly #dialect: ResponsesDialect;
  /** Id of the latest successful response, unless the conversation has an id. */
  #previousId = '';

  constructor(sessionId: string, dialect: ResponsesDialect) {
    this.sessionId = sessionId;
    this.#dialect = dialect;
  }

  request(turnContent: TurnContent): ChatRequest {
    const { message, toolResults } = turnContent;
    const input = JSON.stringify(toolResults === undefined ? message : toolResults.map(writeResult));
    const link =
      this.sessionId === '' ? field('previous_response_id', this.#previousId) : field('conversation', this.sessionId);
    return chatRequest(this.#dialect.route, `${this.#dialect.fixedFields(turnContent)}${link},"input":${input}}`);
  }

  read(received: Received): Verdict {
    return this.#dialect.read(received);
  }

  replied({ id = '' }: Reply): void {
    this.#previousId = id;
  }
}

/** Returns a field of a JSON object, after others; '' for an empty text. */
const field = (name: string, text: string): string => (text === '' ? '' : `,"${name}":${JSON.stringify(text)}`);

const writeResult = ({ id, content }: ToolResult): object => ({
  type: 'function_call_output',
  call_id: id,
  output: content,
});
