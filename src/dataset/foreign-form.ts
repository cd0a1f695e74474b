import { isObject } from '../base/is-object.ts';

/** Keys that the lines of published sets of conversations have, with the name of the set's form. */
const forms: readonly (readonly [readonly string[], string])[] = [
  [['conversations'], 'ShareGPT'],
  [['conversation', 'conversation_hash'], 'WildChat'],
  [['conversation', 'conversation_id'], 'LMSYS-Chat-1M'],
  [['conversation'], 'LMSYS-Chat-1M or WildChat'],
  [['chat_messages'], "Anthropic's export"],
  [['mapping'], "ChatGPT's export"],
  [['kind', 'schemaVersion'], 'a document of chat-load'],
];

/** The form of a file that is not ours, by how it begins; `undefined` for one that is not known. */
export function foreignForm(head: Buffer): string | undefined {
  if (head.subarray(0, 4).toString('latin1') === 'PAR1') return 'Parquet';
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart();
  const known = forms.find(([keys]) => keys.every((key) => hasKey(text, key)));
  if (text.startsWith('[')) return `a JSON array${known === undefined ? '' : ` (${known[1]})`}`;
  return text.startsWith('{') && !hasKey(text, 'messages') ? known?.[1] : undefined;
}

/** In the first line where that is whole, else anywhere in what is seen. */
function hasKey(text: string, key: string): boolean {
  const [line = ''] = text.split('\n', 1);
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return Object.hasOwn(value, key);
  } catch {
    // A document over several lines, or a long first one.
  }
  return text.includes(`"${key}"`);
}
