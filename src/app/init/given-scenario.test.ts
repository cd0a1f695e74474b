import { expect, test } from 'vitest';
import { isServed, protocolNames, protocols, type ProtocolName } from '../../protocol/registry/registry.ts';
import type { GivenApi } from './given-api.ts';
import { recognizeApi } from './known-api.ts';

const target = {
  agentId: 'agent-1',
  baseUrl: 'http://h.example',
  messagesPath: null,
  messageBody: {},
  instructions: 'Be brief.',
  conversation: 'previous_response',
  createSession: { path: '/', body: {}, sessionIdFrom: 'id' },
} as const;

/** A request of a protocol, as its own client sends it. */
function requestOf(name: ProtocolName, stream: boolean): GivenApi {
  const { open, fixedMessages } = protocols[name].protocol;
  const { body, route } = open({ ...target, instructions: fixedMessages === true ? null : target.instructions, stream })
    .converse('session-1')
    .request({ message: 'Where is it?', variableValues: '' });
  const url = new URL(route.path, target.baseUrl);
  return {
    message: { method: 'POST', url, headers: [], body: JSON.parse(body) as Record<string, unknown> },
    notes: [],
  };
}

const cases = protocolNames.filter(isServed).flatMap((name) => {
  const { transport, wholeOnly, streamsOnly } = protocols[name].protocol;
  const streams = [...(streamsOnly === true ? [] : [false]), ...(wholeOnly === true ? [] : [true])];
  return transport === undefined ? streams.map((stream) => [name, stream] as const) : [];
});

test.each(cases)('a request of %s (streamed: %s) is recognized by its path and body', (name, stream) => {
  const api = requestOf(name, stream);
  const { fixedMessages } = protocols[name].protocol;
  const namesAgent = `${api.message.url.href}${JSON.stringify(api)}`.includes('agent-1');
  const known = recognizeApi(api, api.message.url);
  expect(known).toMatchObject({ protocol: name, stream, message: 'Where is it?' });
  expect([known?.agentId, new URL(known?.baseUrl ?? '').host]).toEqual([
    namesAgent ? 'agent-1' : undefined,
    'h.example',
  ]);
  if (fixedMessages !== true) expect(JSON.stringify(known?.target) + JSON.stringify(api)).toContain('Be brief.');
  // With this target the protocol sends the same request again.
  expect(known?.target['messageBody'] ?? {}).toEqual(
    expect.not.objectContaining({ messages: expect.anything() as unknown }),
  );
});
