import { isObject } from '../../base/is-object.ts';
import { jsonIn } from '../classify-whole.ts';
import { compileInstructions } from '../instructions.ts';
import { EventFrames } from '../model-api/event-frames.ts';
import { frameError } from '../model-api/frame-error.ts';
import { KeptMessages } from '../model-api/kept-conversation.ts';
import { openaiItems } from '../model-api/openai-items.ts';
import { fixedFields } from '../model-api/message-route.ts';
import { ModelSocket, upgradeRoutes, type SocketDialect } from '../model-api/model-socket.ts';
import { Opening, readOpening } from '../model-api/opening.ts';
import { ResponseReader } from '../openai-responses/read-response.ts';
import type {
  ChatApi,
  ChatProtocol,
  ChatRequest,
  Conversation,
  ProtocolTarget,
  Received,
  Reply,
  StreamEvent,
  TurnContent,
  UnawaitedFrame,
  Verdict,
} from '../protocol.ts';
import { socketApi } from '../socket-api.ts';

/**
 * OpenAI's responses over WebSocket. The service remembers the latest response in the memory of the socket, and the client
 * keeps the conversation, which it sends again if that memory is lost: with the socket, or by an attempt that failed.
 * Source: https://developers.openai.com/api/docs/guides/websocket-mode
 */
export const openaiResponsesWebsocket: ChatProtocol = {
  name: 'openai-responses-websocket',
  transport: 'websocket',
  history: 'service',
  streamsOnly: true,
  outputLimit: 'max_output_tokens',
  createsSessions: () => true,
  authorize: (apiKey) => ({ Authorization: `Bearer ${apiKey}` }),
  open: openApi,
};

function openApi(target: ProtocolTarget): ChatApi {
  const own = Object.fromEntries(Object.entries(target.messageBody).filter(([name]) => !unused.has(name)));
  const fixed = fixedFields({ ...target, stream: false, messageBody: own }, { store: false });
  const instructions = 'instructions' in own ? () => '' : compileInstructions(target.instructions);
  const settings: FrameSettings = {
    stores: own['store'] === true,
    frame: (input, turnContent, previousId) => {
      const text = instructions(turnContent);
      const more = (text === '' ? '' : `,"instructions":${JSON.stringify(text)}`) + link(previousId);
      return `{"type":"response.create",${fixed.slice(1)}${more},"input":[${input}]}`;
    },
  };
  const dialect: SocketDialect = {
    routes: upgradeRoutes(target, '/v1/responses'),
    greet: () => ({ frames: [], reader: new Opening() }),
    meaningOf,
    converse: (sessionId, socket) => new ChainedConversation(sessionId, socket, settings),
  };
  return socketApi((_number, observer) => new ModelSocket(dialect, observer));
}

/** Fields that frames do not have, or that only the protocol writes. */
const unused = new Set(['type', 'background']);

const link = (previousId: string): string =>
  previousId === '' ? '' : `,"previous_response_id":${JSON.stringify(previousId)}`;

interface FrameSettings {
  /** True if responses are stored, so that the service remembers them without their socket. */
  readonly stores: boolean;
  /** Serializes the request of a response. */
  frame(input: string, turnContent: TurnContent, previousId: string): string;
}

function meaningOf(frame: StreamEvent): UnawaitedFrame {
  const data = jsonIn(frame.text());
  if (!isObject(data)) return 'other';
  if (frameError(data)?.endsSocket === true) return 'end';
  return typeof data['type'] === 'string' && data['type'].startsWith('response.') ? 'reply' : 'other';
}

/** A conversation of which every turn continues the response before, as long as the service remembers it. */
class ChainedConversation extends KeptMessages implements Conversation {
  readonly sessionId: string;
  readonly #socket: ModelSocket;
  readonly #settings: FrameSettings;
  /** Id of the response that the service remembers; '' for none. */
  #rememberedId = '';

  constructor(sessionId: string, socket: ModelSocket, settings: FrameSettings) {
    super(items);
    this.sessionId = sessionId;
    this.#socket = socket;
    this.#settings = settings;
  }

  request(turnContent: TurnContent): ChatRequest {
    const whole = this.compose(turnContent);
    const write = (previousId: string): string =>
      this.#settings.frame(previousId === '' ? whole : this.added(turnContent), turnContent, previousId);
    return this.#socket.turn(write(this.#rememberedId), ({ isReopened }) => {
      const previousId = this.#continue(isReopened);
      return { frames: [write(previousId)], reader: new ResponseFrames(previousId) };
    });
  }

  read(received: Received): Verdict {
    const { stream } = received;
    if (!(stream instanceof ResponseFrames)) return readOpening(received);
    const verdict = stream.conclude(received);
    if (verdict.canResend === true) this.#rememberedId = '';
    return verdict;
  }

  override replied(reply: Reply): void {
    super.replied(reply);
    this.#rememberedId = reply.id ?? '';
  }

  end(): void {
    this.#socket.link?.close();
  }

  /** Returns the response that an attempt continues. Without storage, an attempt that fails makes the service forget it. */
  #continue(isReopened: boolean): string {
    if (this.#settings.stores) return this.#rememberedId;
    const remembered = isReopened ? '' : this.#rememberedId;
    this.#rememberedId = '';
    return remembered;
  }
}

/** Reader of one response. Numbers of events may continue those of an earlier response. */
class ResponseFrames extends EventFrames {
  readonly #isChained: boolean;

  /** `previousId`: the response that this one continues; '' for none. */
  constructor(previousId: string) {
    super(new ResponseReader({ maxFirst: Infinity, isNamed: false, ...(previousId !== '' && { previousId }) }));
    this.#isChained = previousId !== '';
  }

  /** A socket has one response at a time. */
  accepts(): boolean {
    return true;
  }

  protected override judge(received: Received): Verdict {
    const verdict = super.judge(received);
    const isForgotten = this.#isChained && this.error?.code === 'previous_response_not_found';
    return isForgotten ? { ...verdict, canResend: true } : verdict;
  }
}

const items = openaiItems((item) => item);
