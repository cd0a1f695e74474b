import type { Dialogue, FrameReader, SocketExchange } from '../protocol/protocol.ts';
import { readEvent, type IsEnd } from './stream-event.ts';

interface Watching {
  change?: (frame: string) => string;
  isEnd: IsEnd;
}

/** Changes the frames of a turn, and remembers the reader of its answer, which decides the verdict. */
export function watchSocket(
  { greet, begin, ...socket }: SocketExchange,
  { change = (frame) => frame, isEnd }: Watching,
): { socket: SocketExchange; reader: () => FrameReader | undefined } {
  let reader: FrameReader | undefined;
  const watch = (dialogue: Dialogue): Dialogue => {
    reader = dialogue.reader;
    return dialogue;
  };
  return {
    socket: {
      ...socket,
      greet: () => watch(greet()),
      ...(begin && {
        begin: (opened) => {
          const dialogue = begin(opened);
          readToEnd(dialogue.reader, isEnd);
          return watch({ ...dialogue, frames: dialogue.frames.map(change) });
        },
      }),
    },
    reader: () => reader,
  };
}

/** Lets a reader take all frames up to the end or an error, also after one that breaks the contract. */
function readToEnd(reader: FrameReader, isEnd: IsEnd): void {
  const take = reader.take.bind(reader);
  let isOver = false;
  reader.take = (frame) => {
    const event = readEvent({ type: '', data: frame.text(), read: 0 });
    isOver ||= event.kind === 'error' || isEnd(event);
    return take(frame);
  };
  Object.defineProperty(reader, 'isOver', { get: () => isOver });
}
