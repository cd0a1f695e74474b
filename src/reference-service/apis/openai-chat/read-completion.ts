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
import type { Asked } from '../../model-api/make-reply.ts';
import type { SaidItem } from '../../conversation/transcript.ts';

const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: contentField.nullish(),
});
const completion = z.looseObject({
  model: modelField,
  messages: z.array(message).min(1),
  stream: streamField,
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: limitField,
  max_completion_tokens: limitField,
  tools: toolsField,
});

const speakers = { user: 'user', assistant: 'agent', tool: 'tool' } as const;

/** Reads the body of `POST /v1/chat/completions`. */
export function readCompletion(given: unknown): Asked | Problem {
  const read = readBody(completion, given);
  if (isProblem(read)) return read;
  const { model, messages, stream, stream_options, max_tokens, max_completion_tokens, tools } = read.body;
  const told: string[] = [];
  const said: SaidItem[] = [];
  for (const { role, content } of messages)
    if (role === 'system' || role === 'developer') told.push(textOf(content));
    else said.push({ from: speakers[role], text: textOf(content) });
  return {
    model,
    said,
    instructions: told.length === 0 ? undefined : told.join('\n'),
    isStreamed: stream === true,
    maxPieces: max_completion_tokens ?? max_tokens ?? Infinity,
    hasTools: (tools?.length ?? 0) > 0,
    includesUsage: stream_options?.include_usage === true,
    kept: undefined,
  };
}
