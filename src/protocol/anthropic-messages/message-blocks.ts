import { isObject } from '../../base/is-object.ts';
import { jsonIn } from '../classify-whole.ts';
import type { Fields } from '../model-api/read-reply.ts';
import { addInput } from '../model-api/tool-input.ts';
import type { Notes } from '../notes.ts';

/** Types of blocks with reasoning, which has a signature or is encrypted. */
export const thinking: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

interface ToolUse {
  readonly index: unknown;
  readonly block: Fields;
  json: string;
}

/** The blocks of one streamed message but for their text: their order, the tool calls, and the reasoning. */
export class MessageBlocks {
  /** Index of the open block; -1: none. */
  openIndex: unknown = -1;
  readonly calls: ToolUse[] = [];
  /** Blocks of reasoning; the last one may be open. */
  readonly #thoughts: Record<string, unknown>[] = [];
  /** Index of the next block. */
  #next = 0;
  /** True if the open block is neither text nor reasoning nor a tool call of the client. */
  #isOther = false;
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  begin(index: unknown, block: Fields): void {
    if (this.openIndex !== -1 || index !== this.#next) this.#notes.add('block_order');
    this.#next++;
    this.openIndex = index;
    const { type } = block;
    const isCall = type === 'tool_use';
    this.#isOther = !isCall && type !== 'text' && !thinking.has(type);
    if (isCall) this.calls.push({ index, block, json: '' });
    if (thinking.has(type)) this.#thoughts.push({ ...block });
  }

  /** Takes the index of a delta. */
  meet(index: unknown): void {
    if (index !== this.openIndex) this.#notes.add('block_order');
  }

  end(index: unknown): void {
    this.meet(index);
    this.openIndex = -1;
  }

  /** Adds a part of an input to the call of its block, else to the latest call. Tools that the service runs itself are ignored. */
  addInput(index: unknown, added: unknown): void {
    if (this.#isOther && index === this.openIndex) return;
    const call = this.calls.findLast((each) => each.index === index) ?? this.calls.at(-1);
    if (call !== undefined) call.json = addInput(call.json, added, this.#notes);
  }

  addThought(field: 'thinking' | 'signature', added: unknown): void {
    const thought = this.#thoughts.at(-1);
    if (thought === undefined || typeof added !== 'string') return;
    const before = thought[field];
    thought[field] = (typeof before === 'string' ? before : '') + added;
  }

  /** Returns the blocks of a non-streamed message. */
  whole(text: string): readonly Fields[] {
    if (this.openIndex !== -1) this.#notes.add('block_order');
    const tools = this.calls.map(({ block, json }) => (json === '' ? block : { ...block, input: inputOf(json) }));
    return [...this.#thoughts, ...(text === '' ? [] : [{ type: 'text', text }]), ...tools];
  }
}

/** Returns the object of a complete input. */
function inputOf(json: string): unknown {
  const input = jsonIn(json);
  return isObject(input) ? input : undefined;
}
