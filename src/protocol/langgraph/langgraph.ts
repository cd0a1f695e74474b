import { isObject } from '../../base/is-object.ts';
import { chatRequest } from '../chat-request.ts';
import { classifyWhole, jsonIn, judgeCreation } from '../classify-whole.ts';
import { compileInstructions, type Instructions } from '../instructions.ts';
import { refuseResponse } from '../model-api/api-error.ts';
import { readStreamed } from '../model-api/read-reply.ts';
import type {
  ChatApi,
  ChatProtocol,
  ChatRequest,
  Conversation,
  ProtocolTarget,
  Received,
  Reply,
  Route,
  StreamFormat,
  ToolResult,
  TurnContent,
  Verdict,
} from '../protocol.ts';
import { judgeState, refuseRun } from './read-state.ts';
import { RunStream } from './run-stream.ts';

const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };

/** Threads with a pending or running run. */
const busyThreads = JSON.stringify({ status: 'busy', limit: 1000, select: ['thread_id', 'created_at'] });

/**
 * Threads and runs of a LangGraph server: a session is a thread, a turn is a run on it, and the server keeps the messages.
 * Sources: https://docs.langchain.com/langsmith/streaming, and the server `@langchain/langgraph-api` 1.5.
 */
export const langgraph: ChatProtocol = {
  name: 'langgraph',
  endOf: (path, body) =>
    'assistant_id' in body ? /(?:\/threads\/[^/]+)?\/runs\/(?:wait|stream)$/.exec(path)?.[0] : undefined,
  history: 'service',
  createsSessions: () => true,
  authorize: (apiKey) => ({ 'X-Api-Key': apiKey }),
  unfinished: {
    request: chatRequest({ operation: 'message', method: 'POST', path: '/threads/search', headers }, busyThreads),
    count: countThreads,
  },
  open: openApi,
};
const creationRules = { welcome: [200, 201], refuse: refuseResponse, judge: judgeCreation('thread_id') };

function openApi(target: ProtocolTarget): ChatApi {
  const { agentId, stream, messageBody, instructions } = target;
  const fields = {
    assistant_id: agentId,
    // Tokens as they are generated, and the state, by which the end of a run is recognized.
    ...(stream && { stream_mode: ['messages-tuple', 'values'] }),
    ...messageBody,
  };
  const dialect: RunDialect = {
    stream,
    fields: JSON.stringify(fields).slice(0, -1),
    instructions: instructions === null || instructions === undefined ? () => '' : compileInstructions(instructions),
  };
  return {
    creation: {
      request: chatRequest({ operation: 'create', method: 'POST', path: '/threads', headers }, '{}'),
      read: (received) => classifyWhole(received, creationRules),
    },
    converse: (threadId) => new ThreadConversation(threadId, dialect),
  };
}

/** Counts the threads that were created since the load began. */
function countThreads({ status, body }: Received, since: number): number {
  const threads = status === 200 ? jsonIn(body) : undefined;
  if (!Array.isArray(threads)) return 0;
  return threads.filter((each) => isObject(each) && Date.parse(String(each['created_at'])) >= since).length;
}

/** The parts of requests that all threads of a target share. */
interface RunDialect {
  readonly stream: boolean;
  /** The beginning of every body, without its `}`. */
  readonly fields: string;
  readonly instructions: Instructions;
}

/** A conversation in a thread of the server. */
class ThreadConversation implements Conversation {
  readonly sessionId: string;
  readonly #dialect: RunDialect;
  readonly #route: Route;
  /** Id of the latest reply: later messages are of later turns. */
  #repliedId: string | undefined;
  #hasBegun = false;

  constructor(threadId: string, dialect: RunDialect) {
    this.sessionId = threadId;
    this.#dialect = dialect;
    this.#route = this.#routeOf(dialect);
  }

  request(turnContent: TurnContent): ChatRequest {
    const { message, toolResults, variableValues } = turnContent;
    const { fields, instructions } = this.#dialect;
    const system = this.#hasBegun ? '' : instructions(turnContent);
    const messages = [
      ...(system === '' ? [] : [{ role: 'system', content: system }]),
      ...(toolResults === undefined ? [{ role: 'user', content: message }] : toolResults.map(writeResult)),
    ];
    const config = variableValues === '' ? '' : `,"config":{"configurable":${variableValues}}`;
    return chatRequest(this.#route, `${fields}${config},"input":{"messages":${JSON.stringify(messages)}}}`);
  }

  read(received: Received): Verdict {
    if (received.stream !== undefined) return readStreamed(received);
    return classifyWhole(received, {
      welcome: [200],
      refuse: refuseRun,
      judge: (state) => judgeState(state, this.#repliedId),
    });
  }

  replied({ id }: Reply): void {
    this.#hasBegun = true;
    this.#repliedId = id;
  }

  /** The event of an end may have no data. */
  get #format(): StreamFormat {
    return {
      framing: 'sse',
      isStated: true,
      isJson: true,
      passesEmpty: true,
      begin: () => new RunStream(this.#repliedId),
    };
  }

  #routeOf({ stream }: RunDialect): Route {
    return {
      operation: 'message',
      method: 'POST',
      path: `/threads/${encodeURIComponent(this.sessionId)}/runs/${stream ? 'stream' : 'wait'}`,
      headers: stream ? { ...headers, Accept: 'text/event-stream' } : headers,
      stream: stream ? this.#format : undefined,
    };
  }
}

const writeResult = ({ id, name, content }: ToolResult): object => ({
  role: 'tool',
  tool_call_id: id,
  name,
  content,
});
