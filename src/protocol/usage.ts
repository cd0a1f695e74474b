import { isObject } from '../base/is-object.ts';
import type { Usage } from './protocol.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the usage of chat completions and Responses: the details are parts of input and output. Services whose total
 * counts the reasoning in addition to the completion (xAI) report an output without it.
 */
export function openaiUsage(usage: Fields): Usage {
  const inputTokens = tokenCount(usage['prompt_tokens'] ?? usage['input_tokens']);
  const output = tokenCount(usage['completion_tokens'] ?? usage['output_tokens']);
  const input = fieldsOf(usage['prompt_tokens_details'] ?? usage['input_tokens_details']);
  const details = fieldsOf(usage['completion_tokens_details'] ?? usage['output_tokens_details']);
  const reasoningTokens = tokenCount(details['reasoning_tokens']);
  const all = sumOf(inputTokens, output, reasoningTokens);
  const isApart = (reasoningTokens ?? 0) > 0 && all !== undefined && usage['total_tokens'] === all;
  return {
    inputTokens,
    outputTokens: isApart ? sumOf(output, reasoningTokens) : output,
    cachedInputTokens: tokenCount(input['cached_tokens']),
    cacheWriteTokens: tokenCount(input['cache_write_tokens']),
    reasoningTokens,
  };
}

/** Reads the usage of Messages, which counts input tokens read from or written to a cache separately. */
export function anthropicUsage(usage: Fields): Usage {
  const cachedInputTokens = tokenCount(usage['cache_read_input_tokens']);
  const cacheWriteTokens = tokenCount(usage['cache_creation_input_tokens']);
  return {
    inputTokens: sumOf(tokenCount(usage['input_tokens']), cachedInputTokens, cacheWriteTokens),
    outputTokens: tokenCount(usage['output_tokens']),
    cachedInputTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: tokenCount(fieldsOf(usage['cache_creation'])['ephemeral_1h_input_tokens']),
  };
}

/** Reads the usage of Gemini: cached tokens are part of the prompt, tokens of tools and thoughts are not. Zeros are omitted. */
export function geminiUsage(usage: Fields): Usage {
  const reasoningTokens = tokenCount(usage['thoughtsTokenCount']);
  const candidates = tokenCount(usage['candidatesTokenCount']);
  return {
    inputTokens: sumOf(tokenCount(usage['promptTokenCount']), tokenCount(usage['toolUsePromptTokenCount'])),
    outputTokens: candidates === undefined ? reasoningTokens : sumOf(candidates, reasoningTokens),
    cachedInputTokens: tokenCount(usage['cachedContentTokenCount']),
    reasoningTokens,
  };
}

/** Reads the usage of Bedrock Converse, which counts input tokens read from or written to a cache separately. */
export function bedrockUsage(usage: Fields): Usage {
  const cachedInputTokens = tokenCount(usage['cacheReadInputTokens']);
  const cacheWriteTokens = tokenCount(usage['cacheWriteInputTokens']);
  const details: readonly unknown[] = Array.isArray(usage['cacheDetails']) ? usage['cacheDetails'] : [];
  const hour = details.map(fieldsOf).find(({ ttl }) => ttl === '1h');
  return {
    inputTokens: sumOf(tokenCount(usage['inputTokens']), cachedInputTokens, cacheWriteTokens),
    outputTokens: tokenCount(usage['outputTokens']),
    cachedInputTokens,
    cacheWriteTokens,
    cacheWrite1hTokens: tokenCount(hour?.['inputTokens']),
  };
}

/** Forms in which services report usage: the field of the reply, and its reader. */
export const usageForms = {
  openai: { field: 'usage', read: openaiUsage },
  anthropic: { field: 'usage', read: anthropicUsage },
  gemini: { field: 'usageMetadata', read: geminiUsage },
  bedrock: { field: 'usage', read: bedrockUsage },
} as const;
export type UsageForm = keyof typeof usageForms;

/** The parts of a usage, by their names. */
export const usageParts = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'reasoningTokens',
] as const satisfies readonly (keyof Usage)[];

/**
 * Returns the later one of two reports of one reply. Some services end a stream with zeros, which do not replace the
 * figures before them.
 */
export function laterUsage<Report extends object>(before: Report | undefined, later: Report): Report {
  return before !== undefined && hasFigures(before) && !hasFigures(later) ? before : later;
}

function hasFigures(report: object): boolean {
  return Object.values(report).some((count) => typeof count === 'number' && count !== 0);
}

/** Returns a usage in which the parts of a later report replace those of an earlier one. */
export function latestUsage(before: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (before === undefined || later === undefined) return later ?? before;
  if (laterUsage(before, later) === before) return before;
  const merged: Usage = { ...before };
  for (const part of usageParts) merged[part] = later[part] ?? before[part];
  return merged;
}

/** More tokens than any reply has: a larger count is an error of the service. */
const maxTokens = 1e9;

/** Returns a reported number of tokens; `undefined` if the value is not one. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxTokens ? value : undefined;
}

/** Adds the reported counts to the first one; `undefined` if that was not reported. */
function sumOf(first: number | undefined, ...others: readonly (number | undefined)[]): number | undefined {
  return first === undefined ? undefined : others.reduce<number>((sum, count) => sum + (count ?? 0), first);
}

const nothing: Fields = {};
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : nothing);
