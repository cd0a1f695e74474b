import { z } from 'zod';
import {
  contentField,
  limitField,
  modelField,
  readBody,
  streamField,
  textOf,
  toolsField,
} from '../../model-api/read-fields.ts';
import { isProblem, type Problem } from '../../model-api/model-api.ts';
import type { Asked, KeptAt } from '../../model-api/make-reply.ts';
import type { SaidItem } from '../../conversation/transcript.ts';

const item = z.looseObject({
  type: z.string().optional(),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: contentField.nullish(),
  output: contentField.nullish(),
});
const request = z.looseObject({
  model: modelField,
  input: z.union([z.string(), z.array(item).min(1)], { error: 'expected a text or a list of items' }),
  instructions: z.string().nullish(),
  previous_response_id: z.string().min(1).nullish(),
  conversation: z.union([z.string().min(1), z.looseObject({ id: z.string().min(1) })]).nullish(),
  store: z.boolean().nullish(),
  stream: streamField,
  max_output_tokens: limitField,
  tools: toolsField,
});

/** Reads the body of `POST /v1/responses`. */
export function readResponseRequest(given: unknown): Asked | Problem {
  const read = readBody(request, given);
  if (isProblem(read)) return read;
  const { model, input, instructions, stream, max_output_tokens, tools } = read.body;
  const kept = keptAt(read.body);
  if (isProblem(kept)) return kept;
  const items = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input;
  const told = items.filter(isInstruction).map(({ content }) => textOf(content));
  if (typeof instructions === 'string') told.unshift(instructions);
  return {
    model,
    kept,
    said: items.flatMap(saidIn),
    instructions: told.length === 0 ? undefined : told.join('\n'),
    isStreamed: stream === true,
    maxPieces: max_output_tokens ?? Infinity,
    hasTools: (tools?.length ?? 0) > 0,
    includesUsage: true,
  };
}

function keptAt({ previous_response_id, conversation, store }: z.infer<typeof request>): KeptAt | Problem {
  const conversationId = typeof conversation === 'string' ? conversation : (conversation?.id ?? undefined);
  const responseId = previous_response_id ?? undefined;
  if (responseId !== undefined && conversationId !== undefined)
    return { status: 400, message: 'give previous_response_id or conversation, not both', param: 'conversation' };
  return { responseId, conversationId, isStored: store !== false };
}

type Item = z.infer<typeof item>;

const isInstruction = ({ role }: Item): boolean => role === 'system' || role === 'developer';

function saidIn(given: Item): SaidItem[] {
  if (given.type === 'function_call_output') return [{ from: 'tool', text: textOf(given.output) }];
  if (given.role === 'user') return [{ from: 'user', text: textOf(given.content) }];
  return given.role === 'assistant' ? [{ from: 'agent', text: textOf(given.content) }] : [];
}
