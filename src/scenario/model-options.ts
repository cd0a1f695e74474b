import { z } from 'zod';
import { closedObject, truth } from './closed-object.ts';
import { durationDistribution } from './duration-distribution.ts';
import { duration } from './duration.ts';
import { modelFaultOptions } from './embedded-faults.ts';
import { defaulted, option, type Written } from './option.ts';

/** The fault kinds and conditions of `model.faults` are those of `embedded.faults`; `on` is not used. */
const secretText = z.string().regex(/^[\x21-\x7e]+$/, 'a key is made of visible ASCII characters without spaces');
const url = z.string().regex(/^https?:\/\/[^\s]+$/, "expected a URL such as 'https://api.openai.com/v1'");

/** Maximum number of characters of a regular expression, which the engine compiles as a whole. */
const maxPattern = 1000;

/** Reports whether a text is not written as a regular expression, or is a valid one. */
function isPattern(text: string): boolean {
  const [, source, flags] = /^\/(.+)\/([a-z]*)$/s.exec(text) ?? [];
  if (source === undefined) return true;
  if (source.length > maxPattern) return false;
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

/** A scripted reply: the conditions, which all must hold, and either `text` or `calls`. */
export const modelReplyShape = {
  model: option(z.string().min(1), { meaning: 'Model as requested; `*` stands for any characters.' }),
  message: option(z.string().min(1).refine(isPattern, 'not a valid regular expression of at most 1,000 characters'), {
    meaning: 'Text of the last message: a part of it, or a regular expression between slashes.',
  }),
  turn: option(z.int().min(1), { meaning: 'Turn of the conversation: its number of user messages.' }),
  toolResult: option(truth, { meaning: 'True if the last message is the result of a tool, false if it is not.' }),
  text: option(z.string(), {
    meaning: 'Text of the reply; `{{message}}`, `{{turn}}` and `{{model}}` are replaced.',
  }),
  calls: option(
    z.array(closedObject({ name: z.string().min(1), arguments: z.record(z.string(), z.unknown()).optional() })).min(1),
    {
      type: 'readonly { name: string; arguments?: Readonly<Record<string, unknown>> }[]',
      meaning: 'Tools that the reply calls; arguments that are not set are made from the schema of the tool.',
    },
  ),
};
const replyRule = closedObject(modelReplyShape).refine(
  ({ text, calls }) => (text === undefined) !== (calls === undefined),
  { error: 'a reply has either text or calls' },
);

export const modelLimitShape = {
  requestsPerMinute: option(z.number().gt(0), {
    meaning:
      'Requests per minute and key; further ones receive 429 with `retry-after` and the headers of the real service.',
  }),
  tokensPerMinute: option(z.number().gt(0), {
    meaning: 'Tokens per minute and key, input and output together.',
    unit: 'tokens',
  }),
};

export const modelCacheShape = {
  minTokens: defaulted(z.int().min(1), {
    meaning: 'Minimum length of a prefix that is reported as cached.',
    default: 1024,
    unit: 'tokens',
  }),
  maxMegabytes: defaulted(z.number().gt(0).max(4096), {
    meaning: 'Size of the prefixes to remember; above it the least recently used are forgotten.',
    default: 64,
    unit: 'MB',
  }),
};

export const modelToolsShape = {
  calls: defaulted(z.int().min(0).max(100), {
    meaning:
      'Number of tool calls per turn of the conversation, if the request offers tools and lets the model choose.',
    default: 0,
    unit: 'calls',
  }),
  parallel: defaulted(truth, {
    meaning: 'True to make these calls in one reply, false to make one per reply.',
    default: false,
  }),
};

export const modelForwardShape = {
  openai: option(url, { meaning: 'Base URL of the service that receives chat completions, Responses and embeddings.' }),
  anthropic: option(url, { meaning: 'Base URL of the service that receives Messages.' }),
};

/** The options of the model service, with their notes. */
export const modelShape = {
  host: defaulted(z.string().min(1), { meaning: 'Address to listen on.', default: '127.0.0.1' }),
  port: defaulted(z.int().min(0).max(65535), {
    meaning: 'Port of the model service that runs next to the agent; 0 chooses a free one.',
    default: 9009,
    flag: 'model-port',
    takes: 'number',
    flagMeaning: 'Run the model service on PORT, and measure the model calls of the agent',
  }),
  latency: defaulted(durationDistribution, {
    meaning: 'Time from the request to the first token.',
    default: '300ms',
  }),
  tokenTime: defaulted(durationDistribution, {
    meaning: 'Time per further token of a reply.',
    default: '10ms',
  }),
  inputTokenTime: defaulted(duration, {
    meaning: 'Time added to `latency` per 1,000 input tokens that are not cached.',
    default: '0ms',
  }),
  capacity: defaulted(z.int().min(1).nullable(), {
    meaning: 'Number of replies in progress at once; further ones wait in order of arrival.',
    default: null,
    unit: 'replies',
  }),
  limits: defaulted(closedObject(modelLimitShape), {
    type: 'ModelLimitOptions',
    meaning: 'Rate limits per key.',
    default: {},
  }),
  cache: defaulted(closedObject(modelCacheShape), {
    type: 'ModelCacheOptions',
    meaning: 'Prefix cache, which decides the reported number of cached input tokens.',
    default: {},
  }),
  tokenizer: defaulted(z.enum(['words', 'o200k_base', 'cl100k_base']), {
    meaning: 'Token counting: by words, or by an encoding of the optional package gpt-tokenizer.',
    default: 'words',
  }),
  faults: defaulted(z.array(modelFaultOptions), {
    type: 'readonly FaultOptions[]',
    meaning: 'Injected faults of model calls.',
    default: [],
  }),
  keys: option(z.array(secretText).min(1), {
    meaning: 'Accepted API keys.',
    without: 'any key is accepted, and none is required',
    secret: true,
  }),
  models: option(z.array(z.string().min(1)).min(1), {
    meaning: 'Names of the models that exist.',
    without: 'any name is accepted',
  }),
  replies: defaulted(z.array(replyRule), {
    type: 'readonly ModelReplyRule[]',
    meaning: 'Scripted replies: the first rule that matches a request defines its reply.',
    default: [],
    content: 'of_file',
  }),
  tools: defaulted(closedObject(modelToolsShape), {
    type: 'ModelToolOptions',
    meaning: 'Tool calls that replies make on their own.',
    default: {},
  }),
  delivered: defaulted(truth, {
    meaning: 'Puts a unique word into every final reply, and checks that the reply of the agent contains it.',
    default: false,
  }),
  forward: option(closedObject(modelForwardShape), {
    type: 'ModelForwardOptions',
    meaning: 'Forwards calls to real services and measures them; their hosts must be allowed.',
    without: 'the model service replies',
  }),
  header: option(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of a header'), {
    meaning: 'Header with the trace id, for agents that copy one header instead of `traceparent`.',
  }),
  match: option(z.enum(['text']), {
    meaning: "`'text'` attributes calls without a trace by the text of the last user message.",
    without: 'calls without a trace are not attributed',
  }),
  orphanGrace: defaulted(duration, {
    meaning: 'Time after the end of a broken attempt in which its open model calls are not counted as orphaned.',
    default: '250ms',
  }),
  seed: defaulted(z.int().min(0), {
    meaning: 'Seed of latencies, faults and replies.',
    default: 1,
  }),
};

/** The schema of `model`. */
export const modelOptions = closedObject(modelShape);
export type ModelOptions = Written<typeof modelShape>;
/** The options as read: JSON-safe, durations in milliseconds, with all defaults. */
export type ResolvedModel = z.output<typeof modelOptions>;
