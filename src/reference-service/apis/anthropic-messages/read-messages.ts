import { z } from 'zod';
import { contentField, modelField, readBody, streamField, textOf, toolsField } from '../../model-api/read-fields.ts';
import { isProblem, type Problem } from '../../model-api/model-api.ts';
import type { Asked } from '../../model-api/make-reply.ts';
import type { SaidItem } from '../../conversation/transcript.ts';

const toolResult = z.looseObject({ type: z.literal('tool_result'), content: contentField.nullish() });
const block = z.union([toolResult, z.looseObject({ type: z.string(), text: z.string().optional() })]);
const message = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(block)], { error: 'expected a text or a list of blocks' }),
});
const request = z.looseObject({
  model: modelField,
  max_tokens: z.int().min(1),
  messages: z.array(message).min(1),
  system: contentField.nullish(),
  stream: streamField,
  tools: toolsField,
});

/** Reads the body of `POST /v1/messages`. */
export function readMessages(given: unknown): Asked | Problem {
  const read = readBody(request, given);
  if (isProblem(read)) return read;
  const { model, max_tokens: maxPieces, messages, system, stream, tools } = read.body;
  return {
    model,
    said: messages.flatMap(itemsOf),
    instructions: system === undefined || system === null ? undefined : textOf(system),
    isStreamed: stream === true,
    maxPieces,
    hasTools: (tools?.length ?? 0) > 0,
    includesUsage: true,
    kept: undefined,
  };
}

/** The results of tools, then the text, of one message. */
function itemsOf({ role, content }: z.infer<typeof message>): SaidItem[] {
  if (typeof content === 'string') return [{ from: role === 'user' ? 'user' : 'agent', text: content }];
  const results = content.filter(isResult).map((result): SaidItem => ({ from: 'tool', text: textOf(result.content) }));
  const texts = content.filter((part) => part.type === 'text').map((part) => ('text' in part ? String(part.text) : ''));
  if (role === 'assistant') return [{ from: 'agent', text: texts.join('') }];
  return texts.length === 0 && results.length > 0 ? results : [...results, { from: 'user', text: texts.join('') }];
}

const isResult = (part: z.infer<typeof block>): part is z.infer<typeof toolResult> => part.type === 'tool_result';
