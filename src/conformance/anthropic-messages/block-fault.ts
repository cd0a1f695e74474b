import { show } from '../answer.ts';
import type { StreamEvent } from '../model-api/stream-event.ts';

/** What is wrong with the order of blocks, in words; `undefined`: nothing is. */
export function blockFault(events: readonly StreamEvent[]): string | undefined {
  let next = 0;
  let open: unknown;
  for (const { kind, fields } of events) {
    const index = fields?.['index'];
    switch (kind) {
      case 'content_block_start':
        if (open !== undefined) return `block ${show(index)} begins within block ${show(open)}`;
        if (index !== next) return `block ${show(index)} in place of block ${String(next)}`;
        open = next++;
        break;
      case 'content_block_delta':
      case 'content_block_stop':
        if (index !== open) return `${kind} of block ${show(index)}, which is not open`;
        if (kind === 'content_block_stop') open = undefined;
    }
  }
  return open === undefined ? undefined : `block ${show(open)} never stopped`;
}
