import { isObject } from '../../base/is-object.ts';

/** Fields in which model APIs state why a reply ended. */
const fields = ['finish_reason', 'finishReason', 'stop_reason', 'stopReason', 'done_reason', 'reason'];
const limits = ['length', 'max_tokens', 'max_output_tokens', 'model_length'];

const maxDepth = 4;
const maxParts = 20;

/** Reports whether the data of a reply state that a limit of tokens cut it off: reasoning may have used them all. */
export function isCutShort(data: unknown, depth = 0): boolean {
  if (depth > maxDepth) return false;
  if (Array.isArray(data)) return data.slice(0, maxParts).some((part) => isCutShort(part, depth + 1));
  if (!isObject(data)) return false;
  if (fields.some((field) => isLimit(data[field]))) return true;
  return Object.values(data)
    .slice(0, maxParts)
    .some((part) => isCutShort(part, depth + 1));
}

const isLimit = (value: unknown): boolean => typeof value === 'string' && limits.includes(value.toLowerCase());
