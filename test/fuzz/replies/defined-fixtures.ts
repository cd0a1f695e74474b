import { definedProtocol } from '../../../src/protocol/defined/defined-protocol.ts';
import type { ApiDefinition, StreamDefinition } from '../../../src/protocol/defined/definition.ts';
import { bareTarget } from '../../support/stream-events.ts';
import type { Fixture } from './fixtures.ts';
import { partsOf, type Form } from './parts.ts';

const said = ['{"text":"Grüß","id":"r1"}', '{"thought":"Hm"}', '{"text":" Gott 👋","in":19,"out":4}'];
const spoken = ['Grüß', ' Gott 👋', '', 'Bis "bald".'];
const asEvents = (data: readonly string[]): string => data.map((each) => `data: ${each}\n\n`).join('');
const asLines = (data: readonly string[]): string => data.map((each) => `${each}\n`).join('');

const values = { id: 'id', usage: { inputTokens: 'in', outputTokens: 'out' }, reasoning: 'thought' } as const;

interface Definition {
  readonly name: string;
  readonly stream?: StreamDefinition;
  readonly reply?: ApiDefinition['reply'];
  readonly form: Form;
  readonly contentType: string;
  readonly body: string;
}

const definitions: readonly Definition[] = [
  {
    name: 'defined-sse streamed',
    stream: { ...values, format: 'sse', text: 'text', end: 'done' },
    form: 'sse',
    contentType: 'text/event-stream',
    body: asEvents([...said, '{"done":true}']),
  },
  {
    name: 'defined-sse-marked streamed',
    stream: { ...values, format: 'sse', text: 'text', end: '[DONE]' },
    form: 'sse',
    contentType: 'text/event-stream',
    body: asEvents([...said, '[DONE]']),
  },
  {
    name: 'defined-sse-typed streamed',
    stream: { ...values, format: 'sse', text: 'text', end: { event: 'end' } },
    form: 'sse',
    contentType: 'text/plain',
    body: `${asEvents(said)}event: end\ndata: \n\n`,
  },
  {
    name: 'defined-sse-text streamed',
    stream: { format: 'sse', data: 'text', end: '[DONE]' },
    form: 'sse',
    contentType: 'text/event-stream',
    body: asEvents([...spoken, '[DONE]']),
  },
  {
    name: 'defined-json-lines streamed',
    stream: { ...values, format: 'json-lines', text: 'text', end: 'done' },
    form: 'lines',
    contentType: 'application/x-ndjson',
    body: asLines([...said, '{"done":true}']),
  },
  {
    name: 'defined-lines streamed',
    stream: { format: 'json-lines', data: 'text', end: '[DONE]' },
    form: 'lines',
    contentType: 'text/plain',
    body: asLines([...spoken, '[DONE]']),
  },
  {
    name: 'defined-text streamed',
    stream: { format: 'text' },
    form: 'whole',
    contentType: 'text/plain; charset=utf-8',
    body: spoken.join('\n'),
  },
  {
    name: 'defined-sse-close streamed',
    stream: { ...values, format: 'sse', text: 'text', end: 'close' },
    form: 'sse',
    contentType: 'text/event-stream',
    body: asEvents(said),
  },
  {
    name: 'defined-error streamed error',
    stream: { ...values, format: 'sse', text: 'text', end: 'done' },
    form: 'sse',
    contentType: 'text/event-stream',
    body: asEvents([...said, '{"error":{"message":"The model is overloaded","code":503}}']),
  },
  {
    name: 'defined-json whole',
    reply: { text: 'messages.*.text', id: 'id', usage: 'openai' },
    form: 'whole',
    contentType: 'application/json',
    body: '{"messages":[{"text":"Grüß"},{"text":"Gott 👋"}],"id":"r1","usage":{"input_tokens":19,"output_tokens":4}}',
  },
  {
    name: 'defined-plain whole',
    reply: { format: 'text' },
    form: 'whole',
    contentType: 'text/plain',
    body: spoken.join('\n'),
  },
];

/** Replies of APIs that a scenario defines, in each format. */
export const definedFixtures: readonly Fixture[] = definitions.map(
  ({ name, stream, reply, form, contentType, body }) => {
    const [of = name] = name.split(' ');
    const definition: ApiDefinition = {
      message: { path: '/ask', body: ({ message, messages }) => ({ message, messages }) },
      history: 'client',
      ...(stream !== undefined && { stream }),
      ...(reply !== undefined && { reply }),
    };
    const endsByClose = stream?.end === 'close' || stream?.format === 'text' || reply?.format === 'text';
    return {
      name,
      of,
      open: () => definedProtocol(definition).open({ ...bareTarget, stream: stream !== undefined }),
      form,
      status: 200,
      contentType,
      parts: partsOf(form, Buffer.from(body)),
      ...(endsByClose && { endsByClose: true }),
    };
  },
);
