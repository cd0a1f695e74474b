import { isObject } from '../../base/is-object.ts';
import { jsonIn } from '../classify-whole.ts';
import type { Instructions } from '../instructions.ts';
import type { Reply, TurnContent } from '../protocol.ts';
import type { ConversationMessage, MessageParts } from './definition.ts';

/** The part of a target that requests of all transports are composed from. */
export interface TurnSettings {
  agentId: string;
  stream: boolean;
  keepsHistory: boolean;
  /** True if each reply has a new id, which the next request names. */
  chainsIds: boolean;
  instructions: Instructions;
}

/** The turns of one conversation: its answered messages, and the parts of its next request. */
export abstract class DefinedTurns {
  readonly sessionId: string;
  /** Session id of the latest reply. */
  protected latestId: string;
  readonly #settings: TurnSettings;
  readonly #values: MessageParts['values'];
  #turn = 0;
  /** The answered messages. */
  #kept: readonly ConversationMessage[] = [];
  /** The answered messages and the latest one. */
  #saying: readonly ConversationMessage[] = [];

  constructor(settings: TurnSettings, sessionId: string, values: MessageParts['values'] = noValues) {
    this.sessionId = sessionId;
    this.#values = values;
    this.latestId = sessionId;
    this.#settings = settings;
  }

  replied({ text, toolCalls }: Reply): void {
    if (!this.#settings.keepsHistory) return;
    const answer = { role: 'assistant', content: text } as const;
    this.#kept = [...this.#saying, toolCalls === undefined ? answer : { ...answer, toolCalls }];
  }

  left(text: string): void {
    if (text !== '') this.replied({ text, id: undefined, data: undefined });
  }

  /** Keeps the session id of a conforming reply, and notes whether it is another one than the request named. */
  protected keepId(reply: Reply, id: string | undefined): void {
    if (id === undefined) return;
    if (this.latestId !== '' && !this.#settings.chainsIds) reply.isRestarted = id !== this.latestId;
    this.latestId = id;
  }

  /** Begins a turn, and returns the input of its request. */
  protected beginTurn(turnContent: TurnContent): MessageParts {
    const { message, variableValues, toolResults } = turnContent;
    const { agentId, stream, instructions } = this.#settings;
    const variables = variableValues === '' ? {} : jsonIn(variableValues);
    this.#turn = turnContent.turn ?? this.#turn + 1;
    this.#saying = this.#with(turnContent);
    return {
      agentId,
      sessionId: this.latestId,
      turn: this.#turn,
      message,
      messages: this.#saying,
      toolResults: toolResults ?? [],
      values: this.#values,
      variables: isObject(variables) ? variables : {},
      instructions: instructions(turnContent),
      stream,
    };
  }

  /** Describes the latest turn in a message, as its end. */
  protected describeTurn(session: number | undefined): string {
    const turn = String(this.#turn);
    return session === undefined ? ` in turn ${turn}` : ` in session ${String(session)}, turn ${turn}`;
  }

  #with({ message, toolResults }: TurnContent): readonly ConversationMessage[] {
    if (toolResults === undefined) return [...this.#kept.map(withoutCallsIfLast), { role: 'user', content: message }];
    const results = toolResults.map(
      ({ id, name, content }) => ({ role: 'tool', content, toolCallId: id, name }) as const,
    );
    return [...this.#kept, ...results];
  }
}

const noValues: MessageParts['values'] = {};

/** Omits tool calls of the latest reply, because another message follows instead of their results. */
function withoutCallsIfLast(
  message: ConversationMessage,
  index: number,
  all: readonly ConversationMessage[],
): ConversationMessage {
  return message.role === 'assistant' && index === all.length - 1
    ? { role: 'assistant', content: message.content }
    : message;
}
