import { isObject } from '../../base/is-object.ts';
import { jsonIn } from '../classify-whole.ts';
import { compileInstructions, namesIn, type Instructions } from '../instructions.ts';
import { frameError } from '../model-api/frame-error.ts';
import { KeptMessages } from '../model-api/kept-conversation.ts';
import { openaiItems } from '../model-api/openai-items.ts';
import { ModelSocket, upgradeRoutes, type SocketDialect } from '../model-api/model-socket.ts';
import { Opening, readOpening } from '../model-api/opening.ts';
import type {
  ChatApi,
  ChatProtocol,
  ChatRequest,
  Conversation,
  ProtocolTarget,
  Received,
  StreamEvent,
  TurnContent,
  UnawaitedFrame,
  Verdict,
} from '../protocol.ts';
import { socketApi } from '../socket-api.ts';
import { PastResponses, RealtimeFrames } from './read-realtime.ts';

/**
 * OpenAI's Realtime API with text alone: a socket is a session, which keeps the conversation; the client keeps it too, and
 * adds it again to the session of the next socket.
 * Source: https://platform.openai.com/docs/guides/realtime-conversations
 */
export const openaiRealtime: ChatProtocol = {
  name: 'openai-realtime',
  transport: 'websocket',
  history: 'service',
  streamsOnly: true,
  outputLimit: 'max_output_tokens',
  createsSessions: () => true,
  authorize: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  open: openApi,
};

function openApi(target: ProtocolTarget): ChatApi {
  const { instructions: template } = target;
  const isFixed = typeof template === 'string' && namesIn(template).length === 0;
  const session = {
    ...(isFixed && { instructions: template }),
    ...target.messageBody,
    type: 'realtime',
    output_modalities: ['text'],
  };
  const update = JSON.stringify({ type: 'session.update', session });
  const instructions = 'instructions' in session ? () => '' : compileInstructions(template);
  const dialect: SocketDialect = {
    routes: upgradeRoutes(target, '/v1/realtime?model={model}'),
    greet: () => ({ frames: [update], reader: new Opening(updatedId) }),
    meaningOf,
    converse: (sessionId, socket) => new RealtimeConversation(sessionId, socket, instructions),
  };
  return socketApi((_number, observer) => new ModelSocket(dialect, observer));
}

/** Returns the id of the session once it has its settings; '' if it is not stated. */
function updatedId({ type, session }: Readonly<Record<string, unknown>>): string | undefined {
  if (type !== 'session.updated') return undefined;
  const id = isObject(session) ? session['id'] : undefined;
  return typeof id === 'string' ? id : '';
}

function meaningOf(frame: StreamEvent): UnawaitedFrame {
  const data = jsonIn(frame.text());
  if (!isObject(data)) return 'other';
  if (frameError(data)?.endsSocket === true) return 'end';
  const { type, response } = data;
  // The answer to a cancellation is awaited by nobody.
  if (isObject(response) && response['status'] === 'cancelled') return 'other';
  return type === 'response.done' || (typeof type === 'string' && type.endsWith('.delta')) ? 'reply' : 'other';
}

/** A conversation in the session of a socket. */
class RealtimeConversation extends KeptMessages implements Conversation {
  readonly sessionId: string;
  readonly #socket: ModelSocket;
  readonly #instructions: Instructions;
  /** Number of responses requested so far. */
  #requests = 0;
  readonly #past = new PastResponses();
  #latest: RealtimeFrames | undefined;

  constructor(sessionId: string, socket: ModelSocket, instructions: Instructions) {
    super(frames);
    this.sessionId = sessionId;
    this.#socket = socket;
    this.#instructions = instructions;
  }

  request(turnContent: TurnContent): ChatRequest {
    const whole = this.compose(turnContent);
    const added = this.added(turnContent);
    const instructions = this.#instructions(turnContent);
    let latest: RealtimeFrames | undefined;
    const expected = `${added},${responseCreate(requestId(this.#requests + 1), instructions)}`;
    return this.#socket.turn(expected, ({ isReopened }) => {
      const id = requestId(++this.#requests);
      // The items of a turn are added once to a session, however many attempts it has.
      const items = isReopened ? whole : latest?.hasItems === true ? '' : added;
      if (this.#latest !== undefined) this.#past.add(this.#latest);
      const reader = new RealtimeFrames(id, this.#past);
      this.#latest = reader;
      latest = reader;
      return {
        frames: [...split(items), responseCreate(id, instructions)],
        reader,
        cancel: () => {
          if (reader.responseId === undefined) return undefined;
          reader.isCancelled = true;
          return [JSON.stringify({ type: 'response.cancel', response_id: reader.responseId })];
        },
      };
    });
  }

  read(received: Received): Verdict {
    const { stream } = received;
    return stream instanceof RealtimeFrames ? stream.conclude(received) : readOpening(received);
  }

  end(): void {
    this.#socket.link?.close();
  }
}

const requestId = (number: number): string => `response_${String(number)}`;

const responseCreate = (id: string, instructions: string): string =>
  JSON.stringify({ type: 'response.create', event_id: id, ...(instructions !== '' && { response: { instructions } }) });

/** Returns the frames in a list. */
const split = (list: string): readonly string[] =>
  (JSON.parse(`[${list}]`) as readonly object[]).map((frame) => JSON.stringify(frame));

/** Frames that add items to a conversation. */
const frames = openaiItems((item) => ({ type: 'conversation.item.create', item }));
