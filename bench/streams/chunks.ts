/** The events of a chat completion in chunks, made once: a target is to be quick. */
const head = '"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1767225600,"model":"bench"';

const chunk = (delta: string, reason = 'null'): string =>
  `data: {${head},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}]}\n\n`;

/** The event that names the role. */
export const opening = chunk('{"role":"assistant","content":""}');

const words = ['Your', ' order', ' is', ' on', ' its', ' way', ' and', ' comes', ' soon,', ' Ada.'];
const contents = words.map((word) => chunk(`{"content":"${word}"}`));

/** The content event of this index. */
export function contentEvent(index: number): string {
  return contents[index % contents.length] ?? '';
}

/** The finish, the usage and the end. */
export const closing = [
  chunk('{}', '"stop"'),
  `data: {${head},"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":100,"total_tokens":112}}\n\n`,
  'data: [DONE]\n\n',
];
