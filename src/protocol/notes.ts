/**
 * Deviations of replies from their API's description that no client notices: a run counts them, `check` breaks the rule. Each with
 * its description.
 */
export const noteTexts = {
  other_status: 'A reply has another status of success than the described one',
  content_type: 'A stream has another content type',
  event_lines: 'No empty line ends the events of a stream, or they are lines without data:',
  several_ids: 'A chunk has another id than the first one',
  other_index: 'A choice has another index than 0, although one choice was requested',
  no_choices: 'A chunk has no list of choices',
  content_parts: 'The content is a list of parts instead of a text',
  text_after_end: 'Text arrived with or after the end of the reply',
  no_finish: 'Only the terminator ended the reply, without a finish reason',
  call_without_index: 'A part of a tool call has no index of its own',
  arguments_cut: 'The arguments of a tool call are not JSON',
  arguments_value: 'The arguments of a tool call are a value instead of a text',
  input_text: 'The input of a tool call is a text instead of an object',
  content_text: 'The content is a text or one part instead of a list of parts',
  part_form: 'A part of the content has no type, or its text has another form',
  block_order: 'A part of the content lacks its start or its end, or has an unexpected index',
  event_name: 'An event has no name, or its data has no type or another one',
  event_number: 'The number of an event is not a number',
  no_begin: 'The event that begins a reply is missing',
  no_end_event: 'The event that ends a reply is missing',
  message_form: 'An event has no message or response in it, or one with unexpected content',
  no_id: 'The reply has no id',
  other_end: 'The response at the end lacks content of the events before it, or has other content',
  rpc_envelope: 'A response is not a JSON-RPC 2.0 response with the id of its request',
  old_form: 'A value has the form of another version of the API',
  other_event: 'An event has no type, or none that the API knows',
  no_start: 'A stream begins without the event with which a reply begins',
  text_bounds: 'A text has no start, no end, or parts with another id',
  text_in_progress: 'The text was sent as progress, not as the result',
  no_append: 'A later part of an artifact does not state that it is appended',
  late_text: 'An event at the end has text that no event before it had',
  no_state: 'A stream ends without the state of its thread',
  late_head: 'The stream of a session was answered only after the message was sent',
  other_field: 'A field that no client needs is missing, or has another type',
} as const;

export type NoteRule = keyof typeof noteTexts;
export const noteRules = Object.keys(noteTexts) as readonly NoteRule[];

/** A deviation of one reply. `detail` quotes the service: raw, to be redacted. */
export interface Note {
  readonly rule: NoteRule;
  readonly detail: string;
}

/** Notes of one reply, the first of each rule. */
export class Notes {
  #notes: Note[] | undefined;

  add(rule: NoteRule, detail = ''): void {
    const notes = (this.#notes ??= []);
    if (!notes.some((note) => note.rule === rule)) notes.push({ rule, detail });
  }

  /** `undefined`: there are none. */
  get all(): readonly Note[] | undefined {
    return this.#notes;
  }
}
