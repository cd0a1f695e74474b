import { show } from '../answer.ts';
import type { StreamEvent } from '../model-api/stream-event.ts';
import { nameOf } from '../model-api/stream-rule.ts';
import { isEnd } from './response-events.ts';

/** What is wrong with the order of items, parts and pieces, in words; `undefined`: nothing is. */
export function itemFault(events: readonly StreamEvent[]): string | undefined {
  const open = new Set<string>();
  for (const event of events) {
    const fault = take(event, open);
    if (fault !== undefined) return fault;
  }
  return open.size === 0 ? undefined : `${[...open].join(' and ')} never done`;
}

/** Notes what an event opens and closes. */
function take(event: StreamEvent, open: Set<string>): string | undefined {
  const { kind } = event;
  const [item, part] = [itemOf(event), partOf(event)];
  switch (kind) {
    case 'response.output_item.added':
      return opened(item, open);
    case 'response.content_part.added':
      return open.has(item) ? opened(part, open) : `${part} before its item`;
    case 'response.content_part.done':
      return closed(part, open);
    case 'response.output_item.done':
      return [...open].some((each) => each.startsWith(`part `) && each.endsWith(` of ${item}`))
        ? `${item} done before its part`
        : closed(item, open);
    default:
      if (isEnd(event)) return open.size === 0 ? undefined : `${[...open].join(' and ')} not done at the end`;
      return isPiece(kind) && !open.has(isOfPart(kind) ? part : item)
        ? `${nameOf(event)} outside its place`
        : undefined;
  }
}

function opened(what: string, open: Set<string>): string | undefined {
  if (open.has(what)) return `${what} added twice`;
  open.add(what);
  return undefined;
}

const closed = (what: string, open: Set<string>): string | undefined =>
  open.delete(what) ? undefined : `${what} done without being added`;

const itemOf = ({ fields }: StreamEvent): string => `item ${show(fields?.['output_index'])}`;
const partOf = (event: StreamEvent): string => `part ${show(event.fields?.['content_index'])} of ${itemOf(event)}`;

/** Pieces of a text, a refusal or reasoning belong to a part; those of a call to its item. */
const isPiece = (kind: string): boolean =>
  /^response\.(output_text|refusal|reasoning_text|function_call_arguments)\.(delta|done)$/.test(kind);
const isOfPart = (kind: string): boolean => !kind.startsWith('response.function_call');
