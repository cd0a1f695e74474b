import { isObject } from '../../base/is-object.ts';
import { messagesApi } from '../apis/anthropic-messages/anthropic-messages.ts';
import { chatApi } from '../apis/openai-chat/openai-chat.ts';
import { responsesApi } from '../apis/openai-responses/openai-responses.ts';
import type { ModelApiName } from '../../protocol/model-call.ts';
import { breakingAt, type ModelApi } from '../model-api/model-api.ts';
import { textsIn } from './embeddings.ts';

/** One part of a model's input: a message, a call of a tool, or its result. */
export interface InputItem {
  role: 'system' | 'user' | 'assistant' | 'tool';
  text: string;
}

/** A tool that a request offers. */
export interface OfferedTool {
  name: string;
  /** JSON schema of its arguments. */
  schema: unknown;
}

/** Parts of a request that decide the reply, in the form that all APIs share. */
export interface CallInput {
  items: readonly InputItem[];
  tools: readonly OfferedTool[];
  choice: 'none' | 'auto' | 'required' | { name: string };
  isParallel: boolean;
  /** Schema of a structured reply; `true`: any JSON object. */
  format: unknown;
}

type Body = Readonly<Record<string, unknown>>;

/** An API of the model service. */
interface CallApi {
  /** Embeddings have the errors of chat completions. */
  api: ModelApi;
  /** Reads the parts of a body, whose fields need not be valid. */
  input(body: Body): CallInput;
}

export const noInput: CallInput = { items: [], tools: [], choice: 'none', isParallel: true, format: undefined };

export const callApis: Readonly<Record<ModelApiName, CallApi>> = {
  chat: { api: chatApi, input: chatInput },
  responses: { api: responsesApi, input: responsesInput },
  messages: { api: messagesApi, input: messagesInput },
  embeddings: { api: { ...chatApi, broken: breakingAt('data') }, input: embeddingsInput },
};

function embeddingsInput({ input }: Body): CallInput {
  return { ...noInput, items: (textsIn(input) ?? []).map((text) => ({ role: 'user', text })) };
}

function chatInput(body: Body): CallInput {
  const { tool_choice: choice, response_format: format } = body;
  return {
    items: listOf(body['messages']).flatMap(chatItem),
    tools: toolsIn(body, (tool) => objectIn(tool, 'function'), 'parameters'),
    choice: typeof choice === 'string' ? wordOf(choice) : namedIn(objectIn(choice, 'function')),
    isParallel: body['parallel_tool_calls'] !== false,
    format: formatIn(format, objectIn(format, 'json_schema')),
  };
}

const roles: Readonly<Record<string, InputItem['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
};

function chatItem(message: Body): InputItem[] {
  const role = roles[String(message['role'])] ?? 'user';
  const calls = message['tool_calls'];
  const text = contentText(message['content']);
  return [{ role, text: Array.isArray(calls) ? text + JSON.stringify(calls) : text }];
}

function responsesInput(body: Body): CallInput {
  const { input, instructions, tool_choice: choice } = body;
  const format = objectIn(body['text'], 'format');
  const items =
    typeof input === 'string' ? [{ role: 'user' as const, text: input }] : listOf(input).flatMap(outputItem);
  return {
    items: typeof instructions === 'string' ? [{ role: 'system', text: instructions }, ...items] : items,
    tools: toolsIn(body, (tool) => tool, 'parameters'),
    choice: typeof choice === 'string' ? wordOf(choice) : namedIn(choice),
    isParallel: body['parallel_tool_calls'] !== false,
    format: formatIn(format, format),
  };
}

function outputItem(item: Body): InputItem[] {
  if (item['type'] === 'function_call_output') return [{ role: 'tool', text: contentText(item['output']) }];
  if (item['type'] === 'function_call')
    return [{ role: 'assistant', text: `${String(item['name'])}${String(item['arguments'])}` }];
  const role = roles[String(item['role'])];
  return role === undefined ? [] : [{ role, text: contentText(item['content']) }];
}

function messagesInput(body: Body): CallInput {
  const { system, tool_choice: choice } = body;
  const type = isObject(choice) ? choice['type'] : undefined;
  const word = typeof type === 'string' ? wordOf(type) : 'auto';
  const items = listOf(body['messages']).flatMap(messageItems);
  const format = objectIn(body['output_config'], 'format') ?? body['output_format'];
  return {
    items: system === undefined || system === null ? items : [{ role: 'system', text: contentText(system) }, ...items],
    tools: toolsIn(body, (tool) => tool, 'input_schema'),
    choice: type === 'tool' ? namedIn(choice) : word,
    isParallel: !(isObject(choice) && choice['disable_parallel_tool_use'] === true),
    format: formatIn(format, format),
  };
}

/** Returns the items of one message; text next to the results of tools does not begin another turn. */
function messageItems({ role, content }: Body): InputItem[] {
  const results = Array.isArray(content) ? listOf(content).filter(({ type }) => type === 'tool_result') : [];
  if (results.length === 0) return [{ role: role === 'assistant' ? 'assistant' : 'user', text: contentText(content) }];
  const texts = listOf(content).filter(({ type }) => type !== 'tool_result');
  return results.map((result, index) => ({
    role: 'tool',
    text: contentText(result['content']) + (index === results.length - 1 ? contentText(texts) : ''),
  }));
}

/** Returns the text of a content; parts without a text count as their JSON. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(partText).join('');
}

const partText = (part: unknown): string =>
  isObject(part) && typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part);

function toolsIn(body: Body, within: (tool: Body) => unknown, schemaAt: string): OfferedTool[] {
  return listOf(body['tools']).flatMap((tool) => {
    const declared = within(tool);
    if (!isObject(declared) || typeof declared['name'] !== 'string') return [];
    return [{ name: declared['name'], schema: declared[schemaAt] }];
  });
}

function formatIn(format: unknown, holder: unknown): unknown {
  const type = isObject(format) ? format['type'] : undefined;
  if (type === 'json_object') return true;
  return type === 'json_schema' && isObject(holder) ? (holder['schema'] ?? true) : undefined;
}

function wordOf(choice: string): CallInput['choice'] {
  if (choice === 'none') return 'none';
  return choice === 'required' || choice === 'any' ? 'required' : 'auto';
}

const namedIn = (holder: unknown): CallInput['choice'] =>
  isObject(holder) && typeof holder['name'] === 'string' ? { name: holder['name'] } : 'auto';

const objectIn = (holder: unknown, name: string): unknown => (isObject(holder) ? holder[name] : undefined);

const listOf = (list: unknown): Body[] => (Array.isArray(list) ? list.filter(isObject) : []);
