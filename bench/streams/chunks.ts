/** A chat completion in chunks as it is on the wire, with what does not differ made once: a target is to be quick. */
const head = '"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1767225600,"model":"bench"';

const framed = (text: string): Buffer => Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
const chunk = (delta: string, reason = 'null'): Buffer =>
  framed(`data: {${head},"choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}]}\n\n`);

/** The head of the response and the event that names the role. */
export const opening = Buffer.concat([
  Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n'),
  chunk('{"role":"assistant","content":""}'),
]);

const words = ['Your', ' order', ' is', ' on', ' its', ' way', ' and', ' comes', ' soon,', ' Ada.'];
const contents = words.map((word) => chunk(`{"content":"${word}"}`));
const nothing = Buffer.alloc(0);

/** The content event of this index. */
export function contentEvent(index: number): Buffer {
  return contents[index % contents.length] ?? nothing;
}

/** The finish, the usage and the end. */
export const closing = [
  chunk('{}', '"stop"'),
  framed(`data: {${head},"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":100,"total_tokens":112}}\n\n`),
  Buffer.concat([framed('data: [DONE]\n\n'), Buffer.from('0\r\n\r\n')]),
];
