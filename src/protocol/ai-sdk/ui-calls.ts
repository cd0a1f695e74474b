import { shallowText } from '../../base/json.ts';
import { broken } from '../classify-whole.ts';
import type { Fields } from '../model-api/read-reply.ts';
import type { Notes } from '../notes.ts';
import type { EventContent, ToolCall, Verdict } from '../protocol.ts';

/** Tool calls of one message. */
export class UiCalls {
  /** Calls without a result: the client has to answer them. */
  readonly #calls = new Map<string, ToolCall>();
  /** Names of the calls that have started. */
  readonly #names = new Map<string, unknown>();
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** Calls that the client has to answer; `undefined`: there are none. */
  get unanswered(): readonly ToolCall[] | undefined {
    return this.#calls.size === 0 ? undefined : [...this.#calls.values()];
  }

  take(type: string, part: Fields): EventContent | Verdict {
    const { toolCallId: id, toolName } = part;
    if (typeof id !== 'string') {
      if (!type.startsWith('tool-approval')) this.#notes.add('other_event', `${type} without a toolCallId`);
      return 'other';
    }
    switch (type) {
      case 'tool-input-available':
        return this.#begin(id, part);
      case 'tool-input-start':
        this.#names.set(id, toolName);
        return 'content';
      case 'tool-input-delta':
        return 'content';
      case 'tool-input-error':
      case 'tool-output-available':
      case 'tool-output-error':
      case 'tool-output-denied':
        this.#calls.delete(id);
        return 'other';
      default:
        return 'other';
    }
  }

  #begin(id: string, { toolName: given, input, providerExecuted }: Fields): EventContent | Verdict {
    const name = given ?? this.#names.get(id);
    const text = shallowText(input ?? {});
    if (text === undefined) return broken('a tool call whose input is nested too deeply');
    if (typeof name !== 'string') this.#notes.add('other_event', 'a tool call without a toolName');
    else if (providerExecuted !== true) this.#calls.set(id, { id, name, arguments: text });
    return 'content';
  }
}
