/** Events of a streamed chat completion, prepared once to keep the target fast. */
const head = '"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1767225600,"model":"bench"';

const chunk = (delta: string, reason = 'null'): string =>
  `data: {${head},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}]}\n\n`;

/** Event with the role. */
export const opening = chunk('{"role":"assistant","content":""}');

const words = ['Your', ' order', ' is', ' on', ' its', ' way', ' and', ' comes', ' soon,', ' Ada.'];
const contents = words.map((word) => chunk(`{"content":"${word}"}`));

/** Returns the content event of an index. */
export function contentEvent(index: number): string {
  return contents[index % contents.length] ?? '';
}

/** Events with the finish reason, the usage and the terminator. */
export const closing = [
  chunk('{}', '"stop"'),
  `data: {${head},"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":100,"total_tokens":112}}\n\n`,
  'data: [DONE]\n\n',
];
