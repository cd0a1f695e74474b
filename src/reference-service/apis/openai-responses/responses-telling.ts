import type { MadeReply } from '../../model-api/make-reply.ts';
import type { Problem } from '../../model-api/problem.ts';
import { openaiErrorOf } from '../openai-chat/openai-error.ts';
import { typedEvent, type Telling } from '../../model-api/telling.ts';
import { answerItem, reasoningItem, responseHead, textPart, wholeResponse } from './whole-response.ts';

/** A response in events, each with its number. */
export class ResponsesTelling implements Telling {
  readonly #reply: MadeReply;
  readonly #thought: Part;
  readonly #said: Part;
  #number = 0;

  constructor(reply: MadeReply) {
    const { itemId, tool, reasoning } = reply;
    this.#reply = reply;
    this.#thought = { kind: 'reasoning_text', item: `rs_${itemId}`, index: 0 };
    this.#said = {
      kind: tool === undefined ? 'output_text' : 'function_call_arguments',
      item: `${tool === undefined ? 'msg' : 'fc'}_${itemId}`,
      index: reasoning.length === 0 ? 0 : 1,
    };
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
      this.#event('response.content_part.added', { ...placeOf(this.#thought), part }),
    ];
  }

  reasoning(piece: string): string {
    return this.#delta(this.#thought, piece);
  }

  turning(): string[] {
    if (this.#reply.reasoning.length === 0) return [];
    const text = this.#reply.reasoning.join('');
    const item = reasoningItem(this.#reply, 'completed');
    return [
      this.#event('response.reasoning_text.done', { ...placeOf(this.#thought), text }),
      this.#event('response.content_part.done', { ...placeOf(this.#thought), part: { type: 'reasoning_text', text } }),
      this.#event('response.output_item.done', { output_index: 0, item }),
      ...this.#beginAnswer(),
    ];
  }

  answer(piece: string): string {
    return this.#delta(this.#said, piece);
  }

  closing(): string[] {
    const response = wholeResponse(this.#reply);
    const item = answerItem(this.#reply, response.status === 'completed' ? 'completed' : 'incomplete');
    return [
      ...this.#endAnswer(),
      this.#event('response.output_item.done', { output_index: this.#said.index, item }),
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
    const { index } = this.#said;
    const item = answerItem(this.#reply, 'in_progress');
    const added = this.#event('response.output_item.added', { output_index: index, item });
    if (this.#reply.tool !== undefined) return [added];
    return [added, this.#event('response.content_part.added', { ...placeOf(this.#said), part: textPart('') })];
  }

  #endAnswer(): string[] {
    const text = this.#reply.pieces.join('');
    const place = placeOf(this.#said);
    if (this.#reply.tool !== undefined)
      return [
        this.#event('response.function_call_arguments.done', { ...place, name: this.#reply.tool, arguments: text }),
      ];
    return [
      this.#event('response.output_text.done', { ...place, text, logprobs: [] }),
      this.#event('response.content_part.done', { ...place, part: textPart(text) }),
    ];
  }

  #delta({ kind, item, index }: Part, piece: string): string {
    const type = `response.${kind}.delta`;
    const place = kind === 'function_call_arguments' ? '' : '"content_index":0,';
    const rest = kind === 'output_text' ? ',"logprobs":[]' : '';
    const head = `{"type":"${type}","sequence_number":${String(this.#number++)},"item_id":"${item}","output_index":`;
    return typedEvent(type, `${head}${String(index)},${place}"delta":${JSON.stringify(piece)}${rest}}`);
  }

  #event(type: string, fields: object): string {
    return typedEvent(type, JSON.stringify({ type, sequence_number: this.#number++, ...fields }));
  }
}

/** What pieces belong to. */
interface Part {
  kind: 'reasoning_text' | 'output_text' | 'function_call_arguments';
  item: string;
  /** In the output. */
  index: number;
}

function placeOf({ kind, item, index }: Part): object {
  const place = { item_id: item, output_index: index };
  return kind === 'function_call_arguments' ? place : { ...place, content_index: 0 };
}
