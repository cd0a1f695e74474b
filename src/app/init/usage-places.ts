import { leavesOf, valueIn, type JsonPath } from './find-places.ts';
import { isObject } from '../../base/is-object.ts';
import { usageForms } from '../../protocol/usage.ts';

const inputName = /^(?:(?:prompt|input)_?tokens?(?:_?count)?|prompt_?eval_?count|tokens_?in)$/i;
const outputName =
  /^(?:(?:completion|output|generated|candidates)_?tokens?(?:_?count)?|eval_?count|tokens_?out|generation_?tokens?)$/i;

/**
 * Returns the token usage in replies or events, as `usage` of a definition: the form of a known API, or paths. Counts as
 * billed are used only without others; the last report decides.
 */
export function findUsage(jsons: readonly unknown[]): unknown {
  const counts = jsons.flatMap((json) =>
    leavesOf(json)
      .filter(isCount)
      .map(({ path }) => ({ path, json })),
  );
  const named = (name: RegExp) =>
    counts.filter(({ path }) => name.test(String(path.at(-1)))).toSorted((one, other) => rank(other) - rank(one));
  const [input] = named(inputName);
  const [output] = named(outputName);
  if (input === undefined || output === undefined) return undefined;
  const parent = input.path.slice(0, -1).join('.');
  const counted = valueIn(input.json, input.path.slice(0, -1));
  if (parent === 'usage' && isObject(counted) && output.path.join('.').startsWith('usage.'))
    return 'cache_read_input_tokens' in counted
      ? 'anthropic'
      : 'inputTokens' in counted
        ? bedrockOr(counted)
        : 'openai';
  const [form] = Object.entries(usageForms).find(([, { field }]) => field !== 'usage' && field === parent) ?? [];
  return form ?? { inputTokens: input.path.join('.'), outputTokens: output.path.join('.') };
}

/** Returns the path of the reason why a reply ended, in replies or events; `undefined` if none states it. */
export function findFinish(jsons: readonly unknown[]): string | undefined {
  const found = jsons
    .flatMap((json) => leavesOf(json))
    .find(({ path, value }) => isFinishName(path.at(-1)) && typeof value === 'string' && value !== '');
  return found?.path.join('.');
}

/** Reports whether a name is that of the reason to end. */
export function isFinishName(key: unknown): boolean {
  return /^(?:finish|stop|done|completion)_?reason$/i.test(String(key));
}

const bedrockOr = (counted: Readonly<Record<string, unknown>>): unknown =>
  'outputTokens' in counted ? 'bedrock' : { inputTokens: 'usage.inputTokens' };

const isCount = ({ value }: { value: unknown }): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0;

/** Ranks counts: those of the whole reply before billed ones. */
const rank = ({ path }: { path: JsonPath }): number => (path.some((key) => /billed/i.test(String(key))) ? 0 : 1);
