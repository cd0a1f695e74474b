import { shallowText } from '../../base/json.ts';
import type { Judged } from '../classify-whole.ts';
import { partsIn, partText } from '../model-api/content-parts.ts';
import { judgedReply, type Fields } from '../model-api/read-reply.ts';
import { reasonOf } from '../model-api/response-reason.ts';
import { Notes } from '../notes.ts';
import type { ToolCall } from '../protocol.ts';
import { openaiUsage } from '../usage.ts';

/** Judges a response: the parts of its messages are the text, its `function_call` items the calls. `notes`: deviations of its events. */
export function judgeResponse(response: Fields, notes = new Notes()): Judged {
  const { id, status = null, output } = response;
  if (isPending(status)) return { broken: 'a response that is not complete' };
  if (typeof id !== 'string' || id === '') notes.add('no_id');
  if (status === null || status === '') notes.add('no_finish');
  const items = partsIn(output, notes);
  if (items === undefined) return { broken: 'output is not a list of items' };
  const parts = items.flatMap((item) => partsOf(item, notes));
  const texts = parts.map((part) => textOf(part, notes));
  if (!texts.every((text) => text !== undefined)) return { broken: 'a message with a text that is not a string' };
  const toolCalls = items.filter(({ type }) => type === 'function_call').map((item) => readCall(item, notes));
  if (!toolCalls.every((call) => call !== undefined)) return { broken: 'a function_call without a name' };
  const hasRefusal = parts.some(({ type }) => type === 'refusal');
  const reason = hasRefusal ? 'refusal' : reasonOf(status, response['incomplete_details'], toolCalls);
  return judgedReply(response, { text: texts.join(''), toolCalls, usage: openaiUsage, reason, notes: notes.all });
}

/** Reports whether a status is that of a response in progress. */
export function isPending(status: unknown): boolean {
  return pending.includes(status);
}

const pending: readonly unknown[] = ['queued', 'in_progress'];

/** Returns the parts of a message; none of other items. An item may be a part itself. */
function partsOf(item: Fields, notes: Notes): readonly Fields[] {
  const { type, content } = item;
  if (type === 'message') return partsIn(content ?? '', notes) ?? [{ text: 0 }];
  if (partTypes.includes(type)) {
    notes.add('part_form');
    return [item];
  }
  if (type !== undefined || content === undefined) return [];
  notes.add('part_form');
  return partsIn(content, notes) ?? [];
}

const partTypes: readonly unknown[] = ['output_text', 'text', 'refusal'];

/** Returns the text of a part of the answer; '' for other parts. */
function textOf({ type, text, refusal }: Fields, notes: Notes): string | undefined {
  if (type === 'output_text') return partText(text, notes);
  if (type === 'refusal') return partText(refusal, notes);
  if (type !== undefined && type !== 'text' && type !== 'input_text') return '';
  notes.add('part_form');
  return partText(text, notes);
}

function readCall({ call_id: callId, id, name, arguments: given = '' }: Fields, notes: Notes): ToolCall | undefined {
  if (typeof name !== 'string') return undefined;
  const known = typeof callId === 'string' && callId !== '' ? callId : id;
  const text = argumentsOf(given, notes);
  return text === undefined ? undefined : { id: typeof known === 'string' ? known : '', name, arguments: text };
}

/** Returns arguments as JSON text, `undefined` if they are nested too deeply; some services send their value. */
function argumentsOf(given: unknown, notes: Notes): string | undefined {
  if (typeof given === 'string') return given;
  notes.add('arguments_value');
  return shallowText(given ?? {});
}

/** Returns the output of a response at the end of a stream: its own, or the items of the events if it has none. */
export function outputOf(output: unknown, items: readonly Fields[]): unknown {
  const isEmpty = output === null || output === undefined || (Array.isArray(output) && output.length === 0);
  if (!isEmpty) return output;
  return items.length > 0 ? items : (output ?? []);
}
