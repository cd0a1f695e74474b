import type { MadeReply } from '../../model-api/make-reply.ts';
import { type Problem, type StreamSerializer, typedEvent } from '../../model-api/model-api.ts';
import { openaiErrorOf } from '../openai-chat/openai-error.ts';

/** Returns a complete response. */
export function wholeResponse(reply: MadeReply) {
  const isComplete = reply.finish !== 'length';
  return {
    ...responseHead(reply),
    status: isComplete ? 'completed' : 'incomplete',
    incomplete_details: isComplete ? null : { reason: 'max_output_tokens' },
    output: outputOf(reply),
    usage: usageOf(reply),
  };
}

/** Returns a response in progress, without output. */
function responseHead({ id, createdSeconds, request }: MadeReply) {
  return {
    id,
    object: 'response',
    created_at: createdSeconds,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.maxTokens === Infinity ? null : request.maxTokens,
    model: request.model,
    output: [] as object[],
    parallel_tool_calls: true,
    previous_response_id: request.kept?.responseId ?? null,
    conversation: request.kept?.conversationId === undefined ? null : { id: request.kept.conversationId },
    reasoning: { effort: null, summary: null },
    store: request.kept?.isStored ?? true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: null as object | null,
    metadata: {},
  };
}

/** Returns the output items in order: the reasoning, if any, and the answer. */
function outputOf(reply: MadeReply): object[] {
  const thought = reply.reasoning.length === 0 ? [] : [reasoningItem(reply, 'completed')];
  const calls = [reply, ...(reply.others ?? [])];
  return [...thought, ...calls.map((call) => answerItem(call, reply.finish === 'length' ? 'incomplete' : 'completed'))];
}

/** The answer, or one of the calls of tools. */
type Answer = Pick<MadeReply, 'itemId' | 'tool' | 'tokens'>;
type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** Returns the reasoning; empty while it is in progress. */
function reasoningItem({ itemId, reasoning }: MadeReply, status: ItemStatus): object {
  const content = status === 'in_progress' ? [] : [{ type: 'reasoning_text', text: reasoning.join('') }];
  return { id: `rs_${itemId}`, type: 'reasoning', summary: [], content, status };
}

/** Returns the message or tool call; empty while it is in progress. */
function answerItem({ itemId, tool, tokens }: Answer, status: ItemStatus): object {
  const text = status === 'in_progress' ? '' : tokens.join('');
  if (tool !== undefined)
    return {
      id: `fc_${itemId}`,
      type: 'function_call',
      call_id: `call_${itemId}`,
      name: tool,
      arguments: text,
      status,
    };
  const content = status === 'in_progress' ? [] : [textPart(text)];
  return { id: `msg_${itemId}`, type: 'message', role: 'assistant', status, content };
}

const textPart = (text: string): object => ({ type: 'output_text', text, annotations: [], logprobs: [] });

const usageOf = ({ usage: { input, output, reasoning, cached = 0 } }: MadeReply) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

/** Serializes a response as events, each with its number. */
export class ResponseSerializer implements StreamSerializer {
  readonly #reply: MadeReply;
  readonly #thought: Part;
  #content: Part;
  /** The answer, or the current call. */
  #answer: Answer;
  #calls = 0;
  #number = 0;

  constructor(reply: MadeReply) {
    const { itemId, reasoning } = reply;
    this.#reply = reply;
    this.#answer = reply;
    this.#thought = { kind: 'reasoning_text', item: `rs_${itemId}`, index: 0 };
    this.#content = partOf(reply, reasoning.length === 0 ? 0 : 1);
  }

  opening(): string[] {
    const response = responseHead(this.#reply);
    const begun = [this.#event('response.created', { response }), this.#event('response.in_progress', { response })];
    if (this.#reply.reasoning.length === 0) return [...begun, ...this.#beginAnswer()];
    const item = reasoningItem(this.#reply, 'in_progress');
    const part = { type: 'reasoning_text', text: '' };
    return [
      ...begun,
      this.#event('response.output_item.added', { output_index: 0, item }),
      this.#event('response.content_part.added', { ...pathOf(this.#thought), part }),
    ];
  }

  reasoning(token: string): string {
    return this.#delta(this.#thought, token);
  }

  turning(): string[] {
    if (this.#reply.reasoning.length === 0) return [];
    const text = this.#reply.reasoning.join('');
    const item = reasoningItem(this.#reply, 'completed');
    return [
      this.#event('response.reasoning_text.done', { ...pathOf(this.#thought), text }),
      this.#event('response.content_part.done', { ...pathOf(this.#thought), part: { type: 'reasoning_text', text } }),
      this.#event('response.output_item.done', { output_index: 0, item }),
      ...this.#beginAnswer(),
    ];
  }

  answer(token: string): string {
    return this.#delta(this.#content, token);
  }

  next(): string[] {
    const ended = this.#endAnswer('completed');
    this.#answer = this.#reply.others?.[this.#calls++] ?? this.#reply;
    this.#content = partOf(this.#answer, this.#content.index + 1);
    return [...ended, ...this.#beginAnswer()];
  }

  closing(): string[] {
    const response = wholeResponse(this.#reply);
    return [
      ...this.#endAnswer(response.status === 'completed' ? 'completed' : 'incomplete'),
      this.#event(`response.${response.status}`, { response }),
    ];
  }

  failing(problem: Problem): string[] {
    const error = openaiErrorOf(problem);
    const { message, param } = error;
    const code = error.code ?? error.type;
    const response = { ...responseHead(this.#reply), status: 'failed', error: { code, message } };
    return [this.#event('error', { code, message, param, error }), this.#event('response.failed', { response })];
  }

  #beginAnswer(): string[] {
    const { index } = this.#content;
    const item = answerItem(this.#answer, 'in_progress');
    const added = this.#event('response.output_item.added', { output_index: index, item });
    if (this.#reply.tool !== undefined) return [added];
    return [added, this.#event('response.content_part.added', { ...pathOf(this.#content), part: textPart('') })];
  }

  #endAnswer(status: ItemStatus): string[] {
    const text = this.#answer.tokens.join('');
    const path = pathOf(this.#content);
    const { tool: name } = this.#answer;
    const item = answerItem(this.#answer, status);
    const ended =
      name === undefined
        ? this.#endText(path, text)
        : [this.#event('response.function_call_arguments.done', { ...path, name, arguments: text })];
    return [...ended, this.#event('response.output_item.done', { output_index: this.#content.index, item })];
  }

  #endText(path: object, text: string): string[] {
    return [
      this.#event('response.output_text.done', { ...path, text, logprobs: [] }),
      this.#event('response.content_part.done', { ...path, part: textPart(text) }),
    ];
  }

  #delta({ kind, item, index }: Part, token: string): string {
    const type = `response.${kind}.delta`;
    const content = kind === 'function_call_arguments' ? '' : '"content_index":0,';
    const rest = kind === 'output_text' ? ',"logprobs":[]' : '';
    const head = `{"type":"${type}","sequence_number":${String(this.#number++)},"item_id":"${item}","output_index":`;
    return typedEvent(type, `${head}${String(index)},${content}"delta":${JSON.stringify(token)}${rest}}`);
  }

  #event(type: string, fields: object): string {
    return typedEvent(type, JSON.stringify({ type, sequence_number: this.#number++, ...fields }));
  }
}

/** Part of the output to which tokens are added. */
interface Part {
  kind: 'reasoning_text' | 'output_text' | 'function_call_arguments';
  item: string;
  /** Index of the item in the output. */
  index: number;
}

const partOf = ({ tool, itemId }: Answer, index: number): Part => ({
  kind: tool === undefined ? 'output_text' : 'function_call_arguments',
  item: `${tool === undefined ? 'msg' : 'fc'}_${itemId}`,
  index,
});

function pathOf({ kind, item, index }: Part): object {
  const path = { item_id: item, output_index: index };
  return kind === 'function_call_arguments' ? path : { ...path, content_index: 0 };
}
