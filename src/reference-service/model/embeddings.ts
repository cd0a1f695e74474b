import { keyOf, randomOf } from '../../base/random.ts';
import type { Problem } from '../model-api/model-api.ts';

type Body = Readonly<Record<string, unknown>>;

/** A request for embeddings. */
export interface EmbeddingRequest {
  model: string;
  texts: readonly string[];
  dimensions: number;
  isBase64: boolean;
}

const usualDimensions = 1536;
const maxDimensions = 4096;
const maxTexts = 2048;

/** Reads a request for embeddings. */
export function readEmbedding(body: Body): EmbeddingRequest | Problem {
  const { model, input, dimensions = null, encoding_format: encoding = null } = body;
  if (typeof model !== 'string' || model === '') return invalid('model', 'expected a model name');
  const texts = textsIn(input);
  if (texts === undefined) return invalid('input', 'expected a text, or a list of 1 to 2,048 texts or token lists');
  const count = dimensions ?? usualDimensions;
  if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > maxDimensions)
    return invalid('dimensions', `expected a whole number from 1 to ${String(maxDimensions)}`);
  if (encoding !== null && encoding !== 'float' && encoding !== 'base64')
    return invalid('encoding_format', "expected 'float' or 'base64'");
  return { model, texts, dimensions: count, isBase64: encoding === 'base64' };
}

const invalid = (param: string, message: string): Problem => ({ status: 400, message: `${param}: ${message}`, param });

/** Returns the texts of an input; tokens count as the text of their numbers. */
export function textsIn(input: unknown): string[] | undefined {
  if (typeof input === 'string') return input === '' ? undefined : [input];
  if (!Array.isArray(input) || input.length === 0 || input.length > maxTexts) return undefined;
  const list: readonly unknown[] = input;
  if (list.every((each) => typeof each === 'string')) return [...list];
  if (list.every(isToken)) return [list.join(' ')];
  return list.every((each) => Array.isArray(each) && each.length > 0 && each.every(isToken))
    ? list.map((each) => (each as number[]).join(' '))
    : undefined;
}

const isToken = (value: unknown): value is number => Number.isInteger(value);

/** Returns the body of a reply. */
export function embeddingsBody({ model, texts, dimensions, isBase64 }: EmbeddingRequest, tokens: number): string {
  const data = texts.map((text, index) => {
    const vector = vectorOf(text, dimensions);
    const embedding = isBase64 ? Buffer.from(vector.buffer).toString('base64') : Array.from(vector);
    return { object: 'embedding', index, embedding };
  });
  return JSON.stringify({ object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } });
}

/** Returns a vector of length 1 that depends on the text alone. */
function vectorOf(text: string, dimensions: number): Float32Array<ArrayBuffer> {
  const draw = randomOf(keyOf('embedding'), text.length, keyOf(text));
  const vector = new Float32Array(dimensions);
  let squares = 0;
  for (let index = 0; index < dimensions; index++) {
    const value = 2 * draw() - 1;
    vector[index] = value;
    squares += value * value;
  }
  const length = Math.sqrt(squares) || 1;
  return vector.map((value) => value / length);
}
