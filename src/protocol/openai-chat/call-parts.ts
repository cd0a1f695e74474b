import { isObject } from '../../base/is-object.ts';

interface Call {
  id: unknown;
  name: unknown;
  arguments: string;
}

/** Tool calls that come in pieces: the first of each has its id and name, all have a part of its arguments. */
export class CallParts {
  readonly #calls = new Map<number, Call>();

  /** Whether the pieces say which calls they belong to. */
  take(parts: readonly unknown[]): boolean {
    return parts.every((part) => isObject(part) && this.#takePart(part));
  }

  /** The calls as a whole message has them; what never came is `undefined`. */
  whole(): readonly object[] {
    const calls = [...this.#calls].toSorted(([a], [b]) => a - b);
    return calls.map(([, { id, name, arguments: text }]) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
    }));
  }

  #takePart({ index, id, function: part }: Readonly<Record<string, unknown>>): boolean {
    if (typeof index !== 'number') return false;
    const fields = isObject(part) ? part : {};
    let call = this.#calls.get(index);
    if (call === undefined) {
      call = { id, name: fields['name'], arguments: '' };
      this.#calls.set(index, call);
    }
    if (typeof fields['arguments'] === 'string') call.arguments += fields['arguments'];
    return true;
  }
}
