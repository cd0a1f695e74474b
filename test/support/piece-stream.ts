import type {
  ChatRequest,
  EventContent,
  ReplyStream,
  StreamEvent,
  StreamFormat,
  Verdict,
} from '../../src/protocol/protocol.ts';

/** The simplest stream: the data of an event is text, a leading `!` marks reasoning, and `END` ends it. */
class PlainStream implements ReplyStream {
  text = '';
  hasEnded = false;

  take(event: StreamEvent): EventContent {
    const data = event.text();
    if (data === 'END') this.hasEnded = true;
    if (data === 'END' || data === '') return 'other';
    if (data.startsWith('!')) return 'reasoning';
    this.text += data;
    return 'content';
  }

  conclude({ failure, detail }: { failure: Verdict['outcome'] | undefined; detail: string }): Verdict {
    if (failure !== undefined) return { outcome: failure, detail, reply: undefined };
    if (!this.hasEnded) return { outcome: 'truncated', detail: 'no END', reply: undefined };
    return { outcome: 'ok', detail: '', reply: { text: this.text, id: undefined, data: null } };
  }
}

/** Returns a request for a streamed reply; `isStated`: of any content type. */
export function pieceRequest(framing: StreamFormat['framing'] = 'sse', isStated = false): ChatRequest {
  const stream: StreamFormat = { framing, ...(isStated && { isStated }), begin: () => new PlainStream() };
  return { route: { operation: 'message', method: 'POST', path: '/pieces', headers: {}, stream }, body: '{}' };
}
