import { isObject } from '../../base/is-object.ts';
import type { Judged } from '../classify-whole.ts';
import { usageOf } from '../model-api/usage.ts';
import type { ToolCall, Usage } from '../protocol.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Judges a message: its text blocks are what was said, its `tool_use` blocks the calls. */
export function judgeMessage(message: Fields): Judged {
  const { id, content, usage } = message;
  if (!Array.isArray(content) || !content.every(isObject)) return { broken: 'content is no list of blocks' };
  const texts = blocksOf(content, 'text').map(({ text }) => text);
  if (!texts.every((text) => typeof text === 'string')) return { broken: 'a text block without a text' };
  const toolCalls = blocksOf(content, 'tool_use').map(readCall);
  if (!toolCalls.every((call) => call !== undefined)) return { broken: 'a tool_use block without an id or a name' };
  return {
    reply: {
      text: texts.join(''),
      id: typeof id === 'string' && id !== '' ? id : undefined,
      data: message,
      toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
      usage: readUsage(usage),
    },
  };
}

const blocksOf = (content: readonly Fields[], type: string): readonly Fields[] =>
  content.filter((block) => block['type'] === type);

function readCall({ id, name, input }: Fields): ToolCall | undefined {
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  return { id, name, arguments: JSON.stringify(input ?? {}) };
}

/** The API counts the tokens of the request that a cache had, and those that it took, apart from the others. */
function readUsage(usage: unknown): Usage | undefined {
  const read = usageOf(usage, ['input_tokens', 'output_tokens']);
  if (read?.inputTokens === undefined || !isObject(usage)) return read;
  const cached = [usage['cache_creation_input_tokens'], usage['cache_read_input_tokens']];
  return { ...read, inputTokens: cached.reduce<number>(addCount, read.inputTokens) };
}

const addCount = (sum: number, value: unknown): number => (typeof value === 'number' ? sum + value : sum);
