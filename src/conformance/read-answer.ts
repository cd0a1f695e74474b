import type { Conversation, Route, StreamEvent, Verdict } from '../protocol/protocol.ts';
import type { Answer, ReceivedEvent } from './exchanges.ts';

/** Returns the verdict that a run would have on a response. */
export function readAnswer(conversation: Conversation, { stream: format }: Route, answer: Answer): Verdict {
  const { contentType, ...received } = answer;
  const stream = answer.events === undefined ? undefined : format?.begin();
  for (const event of answer.events ?? []) stream?.take(takenFrom(event));
  const isJson = /^application\/json\b/i.test(contentType);
  return conversation.read({ ...received, isUtf8: true, stream, contentType: isJson ? undefined : contentType });
}

/** Returns a received event in the form in which protocols take it. */
function takenFrom({ type, data }: ReceivedEvent): StreamEvent {
  const bytes = Buffer.from(data);
  return { type, bytes, start: 0, end: bytes.length, text: () => data };
}
