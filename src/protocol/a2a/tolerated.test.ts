import { describe, expect, test } from 'vitest';
import { readAnySplit, readEvents, replyOf, saying, talkBy, wholeReply } from '../../../test/support/stream-events.ts';
import { a2a } from './a2a.ts';

const { converse, streamed } = talkBy(a2a);

const ids = { taskId: 't', contextId: 'c' };
const response = (result: object, rest: object = {}): object => ({ jsonrpc: '2.0', id: 1, result, ...rest });
const task = (state: string, more: object = {}): object => ({ id: 't', contextId: 'c', status: { state }, ...more });
const begun = response({ task: task('TASK_STATE_SUBMITTED') });
const status = (state: string, text?: string, more: object = {}): object => ({
  ...ids,
  status: { state, ...(text !== undefined && { message: { messageId: 'm', parts: [{ text }] } }) },
  ...more,
});
const update = (state: string, text?: string, more: object = {}): object =>
  response({ statusUpdate: status(state, text, more) });
const artifact = (parts: unknown, more: object = {}, artifactId: unknown = 'a'): object => ({
  ...ids,
  artifact: { artifactId, parts },
  ...more,
});
const added = (text: string, more: object = { append: true }, artifactId?: unknown): object =>
  response({ artifactUpdate: artifact([{ text }], more, artifactId) });
const [one, two, done] = [added('one', {}), added(' two'), update('TASK_STATE_COMPLETED')];

const rulesOf = (notes: readonly { rule: string }[] = []): string[] => notes.map(({ rule }) => rule);

describe('a streamed reply', () => {
  test.each<[string, object[], string[], string?]>([
    ['as described', [begun, one, two, done], []],
    ['of a message', [response({ message: { messageId: 'm', contextId: 'c', parts: [{ text: 'one two' }] } })], []],
    [
      'with ids that are texts, and without jsonrpc',
      [begun, { ...one, id: '1', jsonrpc: undefined }, two, done],
      ['rpc_envelope'],
    ],
    ['with an event that is no response', [begun, { type: 'heartbeat' }, one, two, done], ['other_event']],
    ['with a result of another kind', [begun, response({ usage: { tokens: 4 } }), one, two, done], ['other_event']],
    ['with a result that is null', [begun, one, { jsonrpc: '2.0', id: 1, result: null }, two, done], ['other_event']],
    ['without a task', [one, two, done], ['no_start']],
    [
      'in the form of version 0.3',
      [
        response({ ...task('submitted'), kind: 'task' }),
        response({ ...artifact([{ kind: 'text', text: 'one' }]), kind: 'artifact-update' }),
        response({ ...artifact([{ kind: 'text', text: ' two' }], { append: true }), kind: 'artifact-update' }),
        response({ ...status('completed'), kind: 'status-update', final: true }),
      ],
      ['old_form'],
    ],
    [
      'without kinds and types',
      [
        response(task('working')),
        response(artifact('one')),
        response(artifact(' two', { append: true })),
        response(status('completed')),
      ],
      ['old_form'],
    ],
    [
      'in snake case',
      [
        begun,
        response({ artifact_update: { task_id: 't', artifact: { artifact_id: 'a', parts: [{ text: 'one' }] } } }),
        response({
          artifact_update: { task_id: 't', append: true, artifact: { artifact_id: 'a', parts: [{ text: ' two' }] } },
        }),
        response({ status_update: { task_id: 't', context_id: 'c', status: { state: 'TASK_STATE_COMPLETED' } } }),
      ],
      ['old_form'],
    ],
    [
      'with wrapped parts',
      [
        begun,
        response({ artifactUpdate: artifact([{ root: { kind: 'text', text: 'one' } }, { kind: 'data', data: {} }]) }),
        response({ artifactUpdate: artifact([{ content: { $case: 'text', value: ' two' } }], { append: true }) }),
        done,
      ],
      ['old_form'],
    ],
    ['with parts that do not state that they are appended', [begun, one, added(' two', {}), done], ['no_append']],
    ['without artifact ids', [begun, added('one', {}, null), added(' two', { append: true }, null), done], []],
    ['with an artifact that grows', [begun, one, added('one tw', {}), added('one two', {}), done], []],
    [
      'with an artifact that is replaced',
      [begun, ...['draft', 'other', 'last', 'one two'].map((text) => added(text, { append: false })), done],
      [],
    ],
    ['with an artifact per part', [begun, one, added(' two', {}, 'b'), done], []],
    [
      'with its text in the last task',
      [begun, response({ task: task('TASK_STATE_COMPLETED', { artifacts: [{ parts: [{ text: 'one two' }] }] }) })],
      ['late_text'],
    ],
    [
      'with a rest in the last task',
      [begun, one, response({ task: task('TASK_STATE_COMPLETED', { artifacts: [{ parts: [{ text: 'one two' }] }] }) })],
      ['late_text'],
    ],
    [
      'that the last task repeats',
      [begun, one, two, response({ task: task('TASK_STATE_COMPLETED', { artifacts: [{ parts: [{ text: 'one two' }] }] }) })], // prettier-ignore
      [],
    ],
    ['of a task alone', [response({ task: task('TASK_STATE_COMPLETED', { artifacts: [{ parts: [{ text: 'one two' }] }] }) })], []], // prettier-ignore
    ['in the final status', [begun, update('TASK_STATE_COMPLETED', 'one two')], []],
    [
      'in messages of progress',
      [begun, update('TASK_STATE_WORKING', 'one'), update('TASK_STATE_WORKING', 'one two'), done],
      ['text_in_progress'],
    ],
    ['that asks for more', [begun, update('TASK_STATE_INPUT_REQUIRED', 'one two')], [], 'other'],
    ['that asks for more, by an old name', [begun, update('input-required', 'one two')], ['old_form'], 'other'],
    [
      'that is final in another state',
      [begun, one, two, update('TASK_STATE_WORKING', undefined, { final: true })],
      ['no_finish'],
      'none',
    ],
    ['with text after its end', [begun, one, done, two], ['text_after_end']],
  ])('%s is read with notes, however it is split', (_, events, notes, finish = 'complete') => {
    const { outcome, detail, reply } = readAnySplit(streamed, events);
    expect([outcome, detail, reply?.text, reply?.finish]).toEqual(['ok', '', 'one two', finish]);
    expect(rulesOf(reply?.notes)).toEqual(notes);
  });

  test.each<[string, object[], string, string]>([
    ['without an end', [begun, one, two], 'truncated', 'final state'],
    ['at work', [begun, one, update('TASK_STATE_WORKING', undefined, { final: false })], 'truncated', 'final state'],
    [
      'of another context',
      [begun, one, response({ artifactUpdate: { ...artifact([{ text: ' two' }]), contextId: 'd' } }), done],
      'contract_broken',
      'another context',
    ],
    ['that fails, by an old name', [begun, update('failed', 'No tool')], 'server_error', 'TASK_STATE_FAILED: No tool'],
    ['that is cancelled', [begun, update('cancelled')], 'server_error', 'TASK_STATE_CANCELED'],
    ['with an error', [begun, { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'No' } }], 'bad_request', 'No'],
    ['with a text error', [begun, { id: 1, error: 'Broken' }], 'provider_error', 'Broken'],
    ['with an error without a code', [begun, { error: { message: 'Broken' } }], 'provider_error', 'Broken'],
  ])('%s fails', (_, events, outcome, detail) => {
    const verdict = readAnySplit(streamed, events);
    expect(verdict).toMatchObject({ outcome, reply: undefined });
    expect(verdict.detail).toContain(detail);
  });

  test('shows progress as no content', () => {
    const { pieces } = readEvents(streamed(), [begun, update('TASK_STATE_WORKING', 'one'), done]);
    expect(pieces).toEqual(['other', 'other', 'content']);
  });
});

describe('a non-streamed reply', () => {
  const artifacts = [{ artifactId: 'a', parts: [{ text: 'one two' }] }];
  test.each<[string, object, string[]]>([
    ['as described', response({ task: task('TASK_STATE_COMPLETED', { artifacts }) }), []],
    [
      'with another envelope',
      { id: '1', result: { task: task('TASK_STATE_COMPLETED', { artifacts }) } },
      ['rpc_envelope'],
    ],
    ['of an old task', response({ ...task('completed', { artifacts }), kind: 'task' }), ['old_form']],
    ['of a message', response({ message: { messageId: 'm', parts: [{ text: 'one two' }] } }), []],
    ['of an old message', response({ messageId: 'm', role: 'agent', parts: [{ type: 'text', text: 'one two' }] }), ['old_form']], // prettier-ignore
    ['of a message with content', response({ message: { content: [{ text: 'one two' }] } }), ['old_form']],
    [
      'in its history',
      response({
        task: task('TASK_STATE_COMPLETED', {
          history: [
            { role: 'ROLE_USER', parts: [{ text: 'Hi' }] },
            { role: 'ROLE_AGENT', parts: [{ text: 'one two' }] },
          ],
        }),
      }),
      ['text_in_progress'],
    ],
  ])('%s is read with notes', (_, body, notes) => {
    const { outcome, detail, reply } = converse().read(wholeReply(200, body));
    expect([outcome, detail, reply?.text, reply?.finish]).toEqual(['ok', '', 'one two', 'complete']);
    expect(rulesOf(reply?.notes)).toEqual(notes);
  });

  test('in another context than its request fails', () => {
    const conversation = converse();
    conversation.replied?.(replyOf('Hi', { data: { contextId: 'c' } }));
    conversation.request(saying('Hello'));
    const body = response({ task: { ...task('TASK_STATE_COMPLETED', { artifacts }), contextId: 'd' } });
    expect(conversation.read(wholeReply(200, body))).toMatchObject({ outcome: 'contract_broken', isRestarted: true });
  });
});
