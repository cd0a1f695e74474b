import { expect, test } from 'vitest';
import { foreignForm } from './foreign-form.ts';

test.each([
  ['PAR1\u0015', 'Parquet'],
  ['{"id":"1","conversations":[{"from":"human","value":"Hi"}]}\n', 'ShareGPT'],
  ['[\n  {"id": "1", "conversations": [{"from": "human"}]}\n]', 'a JSON array (ShareGPT)'],
  ['\uFEFF[{}]', 'a JSON array'],
  ['{"conversation_id":"1","conversation":[{"role":"user"}]}', 'LMSYS-Chat-1M'],
  ['{"conversation_hash":"1","conversation":[{"role":"user"}]}', 'WildChat'],
  ['{"kind":"chat-load/result","schemaVersion":3}', 'a document of chat-load'],
  ['{"messages":[{"role":"user","content":"\\"conversations\\""}],"conversation":1}', undefined],
  ['{"messages":[{"role":"user","content":"cut \\"conversation\\"', undefined],
  ['conversation', undefined],
  ['', undefined],
])('a file that begins with %j is %s', (head, form) => {
  expect(foreignForm(Buffer.from(head))).toBe(form);
});
