import type { MessageForms } from './kept-conversation.ts';

/** Returns the messages of a conversation as items of OpenAI's APIs; `write` returns the JSON of an item. */
export function openaiItems(write: (item: object) => object): MessageForms {
  const list = (...items: readonly object[]): string => items.map((item) => JSON.stringify(write(item))).join();
  return {
    userMessage: (text) => list(message('user', 'input_text', text)),
    resultMessages: (results) =>
      list(...results.map(({ id, content }) => ({ type: 'function_call_output', call_id: id, output: content }))),
    answerMessage: (text, calls) =>
      list(
        ...(text === '' ? [] : [message('assistant', 'output_text', text)]),
        ...calls.map(({ id, name, arguments: given }) => ({
          type: 'function_call',
          call_id: id,
          name,
          arguments: given,
        })),
      ),
  };
}

const message = (role: string, type: string, text: string): object => ({
  type: 'message',
  role,
  content: [{ type, text }],
});
