import { answerTo, deltasOf, errorFrame, type SocketConversation, type SocketFrame } from './socket-model.ts';

let made = 0;

/** Begins a conversation of OpenAI's WebSocket mode: the socket remembers the latest response. */
export function beginResponses(): { converse: SocketConversation } {
  let remembered: { id: string; messages: readonly string[] } | undefined;
  const converse: SocketConversation = ({ model, input, previous_response_id: previous }) => {
    const before = remembered;
    remembered = undefined;
    if (previous !== undefined && previous !== before?.id)
      return [errorFrame('previous_response_not_found', 'Previous response not found.')];
    if (typeof model !== 'string' || !Array.isArray(input))
      return [errorFrame('missing_required_parameter', 'A parameter is missing')];
    const texts = (input as { role: string; content: { text: string }[] }[]).map(
      ({ content }) => content[0]?.text ?? '',
    );
    const messages = [...(previous === undefined ? [] : (before?.messages ?? [])), ...texts];
    const text = answerTo(messages);
    const id = `resp_${String(++made)}`;
    remembered = { id, messages: [...messages, text] };
    return eventsOf(id, text);
  };
  return { converse };
}

function eventsOf(id: string, text: string): SocketFrame[] {
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
  const place = { item_id: item.id, output_index: 0, content_index: 0 };
  const part = { type: 'output_text', text, annotations: [] };
  const done = { ...item, status: 'completed', content: [part] };
  const response = { id, object: 'response', status: 'in_progress', model: 'm', output: [], usage: null };
  const usage = { input_tokens: 12, output_tokens: 5, total_tokens: 17 };
  return [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
    ...deltasOf(text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta })),
    { type: 'response.output_text.done', ...place, text },
    { type: 'response.content_part.done', ...place, part },
    { type: 'response.output_item.done', output_index: 0, item: done },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [done], usage } },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}
