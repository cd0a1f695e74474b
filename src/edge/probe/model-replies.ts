import { knownProtocols, type ProtocolName } from '../../scenario/known-protocols.ts';

const text = 'Your order is on its way and should arrive within two working days.';
const usage = { input_tokens: 20, output_tokens: 14, total_tokens: 34 };

/** The shortest replies that conform, by protocol; those of chat messaging depend on the session. */
const replies: Readonly<Record<Exclude<ProtocolName, 'chat-messaging'>, object>> = {
  'openai-chat': {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 20, completion_tokens: 14, total_tokens: 34 },
  },
  'openai-responses': {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'm',
    output: [
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage,
  },
  'anthropic-messages': {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage,
  },
};

/** Ends of the first lines of requests, with the reply to each. */
const byLine = (Object.keys(replies) as (keyof typeof replies)[]).flatMap((name) => {
  const { message, create } = knownProtocols[name].paths ?? {};
  return [
    [message, JSON.stringify(replies[name])] as const,
    [create, JSON.stringify({ id: 'conv_1', object: 'conversation', created_at: 1, metadata: {} })] as const,
  ].flatMap(([path, body]) => (path === undefined ? [] : [{ start: `POST ${path} `, body }]));
});

/** Returns the body of the reply to a request to a model; `undefined`: it is none. */
export function modelReply(request: string): string | undefined {
  return byLine.find(({ start }) => request.startsWith(start))?.body;
}
