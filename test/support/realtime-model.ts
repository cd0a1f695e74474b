import { answerTo, deltasOf, type SocketConversation, type SocketFrame } from './socket-model.ts';

let made = 0;

interface Item {
  type: string;
  content?: { text: string }[];
}

/** Begins a session of OpenAI's Realtime API. */
export function beginRealtime(): { converse: SocketConversation; greeting: readonly SocketFrame[] } {
  const id = `sess_${String(++made)}`;
  const messages: string[] = [];
  const converse: SocketConversation = (frame) => {
    switch (frame.type) {
      case 'session.update':
        return [{ type: 'session.updated', session: { ...(frame['session'] as object), id } }];
      case 'conversation.item.create': {
        const item = frame['item'] as Item | undefined;
        if (item === undefined)
          return [realtimeError('missing_required_parameter', "Missing required parameter: 'item'.")];
        messages.push(item.content?.[0]?.text ?? '');
        return [
          { type: 'conversation.item.added', previous_item_id: null, item: { ...item, id: `item_${String(++made)}` } },
        ];
      }
      case 'response.create': {
        const text = answerTo(messages);
        messages.push(text);
        return eventsOf(`resp_${String(++made)}`, text);
      }
      default:
        return [];
    }
  };
  return { converse, greeting: [{ type: 'session.created', session: { id, type: 'realtime' } }] };
}

export function realtimeError(code: string, message: string): SocketFrame {
  return {
    type: 'error',
    event_id: 'event_1',
    error: { type: 'invalid_request_error', code, message, param: null, event_id: null },
  };
}

function eventsOf(id: string, text: string): SocketFrame[] {
  const item = { id: 'item_0', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
  const place = { response_id: id, item_id: item.id, output_index: 0, content_index: 0 };
  const done = { ...item, status: 'completed', content: [{ type: 'output_text', text }] };
  const response = {
    object: 'realtime.response',
    id,
    status: 'in_progress',
    status_details: null,
    output: [],
    usage: null,
  };
  const usage = { total_tokens: 17, input_tokens: 12, output_tokens: 5 };
  return [
    { type: 'response.created', response },
    { type: 'response.output_item.added', response_id: id, output_index: 0, item },
    { type: 'response.content_part.added', ...place, part: { type: 'text', text: '' } },
    ...deltasOf(text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_text.done', ...place, text },
    { type: 'response.content_part.done', ...place, part: { type: 'text', text } },
    { type: 'response.output_item.done', response_id: id, output_index: 0, item: done },
    { type: 'response.done', response: { ...response, status: 'completed', output: [done], usage } },
  ];
}
