import { isObject } from '../../base/is-object.ts';
import { shallowText } from '../../base/json.ts';
import type { Fields } from '../model-api/read-reply.ts';
import type { Notes } from '../notes.ts';

interface CallSoFar {
  id: string;
  index: number | undefined;
  name: unknown;
  arguments: string;
}

/**
 * Streamed tool calls: the first part of each has its id and name, all have a part of its arguments. Parts belong together by their
 * id, else by their index, else by their order.
 */
export class CallParts {
  readonly #calls: CallSoFar[] = [];
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** Adds parts; returns whether each is an object whose arguments can be read. */
  take(parts: readonly unknown[]): boolean {
    return parts.every((part) => isObject(part) && this.#takePart(part));
  }

  /** Returns the calls as a non-streamed message has them; fields that were never received are `undefined`. */
  whole(): readonly object[] {
    return this.#calls
      .toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0))
      .map(({ id, name, arguments: text }) => ({ id, type: 'function', function: { name, arguments: text } }));
  }

  #takePart({ index: given, id: givenId, function: part }: Fields): boolean {
    const { name, arguments: added } = isObject(part) ? part : {};
    const index = typeof given === 'number' ? given : undefined;
    const id = typeof givenId === 'string' ? givenId : '';
    const call = this.#callOf(id, index, name) ?? this.#begin(id, index);
    if (index === undefined) this.#notes.add('call_without_index');
    call.name ??= name;
    if (typeof added === 'string') call.arguments += added;
    else if (isObject(added)) {
      this.#notes.add('arguments_value');
      const text = shallowText(added);
      call.arguments = text ?? '';
      return text !== undefined;
    }
    return true;
  }

  /** Returns the call that a part continues; `undefined`: it begins one. */
  #callOf(id: string, index: number | undefined, name: unknown): CallSoFar | undefined {
    if (id !== '') {
      const known = this.#calls.find((call) => call.id === id);
      const atIndex = this.#calls.findLast((call) => index !== undefined && call.index === index);
      if (known === undefined && atIndex !== undefined && atIndex.id !== '') this.#notes.add('call_without_index');
      return known ?? (atIndex?.id === '' ? Object.assign(atIndex, { id }) : undefined);
    }
    if (index !== undefined) return this.#calls.findLast((call) => call.index === index);
    return typeof name === 'string' && name !== '' ? undefined : this.#calls.at(-1);
  }

  #begin(id: string, index: number | undefined): CallSoFar {
    const call = { id, index, name: undefined, arguments: '' };
    this.#calls.push(call);
    return call;
  }
}
