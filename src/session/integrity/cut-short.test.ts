import { expect, test } from 'vitest';
import { isCutShort } from './cut-short.ts';

test.each<[string, unknown]>([
  ['chat completions', { choices: [{ message: { content: '' }, finish_reason: 'length' }] }],
  ['messages', { content: [], stop_reason: 'max_tokens' }],
  ['Gemini', { candidates: [{ content: {}, finishReason: 'MAX_TOKENS' }] }],
  ['responses', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
  ['Converse', { output: {}, stopReason: 'max_tokens' }],
  ['Ollama', { message: { content: '' }, done_reason: 'length' }],
])('a reply that a limit of tokens cut off is recognized: %s', (_, data) => {
  expect(isCutShort(data)).toBe(true);
});

test.each<[string, unknown]>([
  ['a complete reply', { choices: [{ finish_reason: 'stop' }] }],
  ['another field with such a value', { unit: 'length' }],
  ['a text', 'length'],
  ['nothing', undefined],
  ['a value far below', { a: { b: { c: { d: { e: { finish_reason: 'length' } } } } } }],
])('nothing else is: %s', (_, data) => {
  expect(isCutShort(data)).toBe(false);
});
