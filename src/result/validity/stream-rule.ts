import { isHeldBack, oneReadText, unbufferRemedy } from '../sections/stream.ts';
import { degradedIf, type ValidityRule } from './rule.ts';

/** Names a stream that something buffers: its replies have no gaps, and their first token is their end. */
export const streamRule: ValidityRule = {
  code: 'stream_buffered',
  isOfService: true,
  remedy: unbufferRemedy,
  find: ({ stream }) =>
    stream === undefined
      ? undefined
      : degradedIf(
          isHeldBack(stream),
          `${oneReadText(stream)}: something buffers the stream. These replies have no gaps and no time per token, and their first token is the whole reply`,
        ),
};
