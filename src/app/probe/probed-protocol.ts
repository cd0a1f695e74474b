import type { Settled } from '../../plan/settle.ts';
import type { ChatProtocol } from '../../protocol/protocol.ts';
import type { Warning } from '../../result/sections/warning.ts';
import { defaultProtocol, protocolName } from '../../protocol/registry/registry.ts';

/** Reports whether requests can be written before they are sent: those of a scenario's own protocol may depend on replies. */
export function isPreparable(protocol: ChatProtocol): boolean {
  return protocolName(protocol.name) !== undefined;
}

/** Reports whether every turn of a probe is the first message of a conversation, so that no history grows. */
export function isOneMessage({ history }: ChatProtocol): boolean {
  return history === 'client';
}

/** The scenario as a probe sends it, with what differs from a run. */
export function asProbed(settled: Settled): { settled: Settled; warnings: Warning[] } {
  const { plan, script } = settled;
  const stream = script.protocol.streamsOnly === true;
  const warnings = [
    ...(plan.target.stream && !stream ? [streamWarning] : []),
    ...(isOneMessage(script.protocol) ? [historyWarning] : []),
    ...(isPreparable(script.protocol) ? [] : [ownProtocolWarning]),
  ];
  const target = { ...plan.target, stream };
  return { settled: { ...settled, plan: { ...plan, target, stallTimeoutMs: null } }, warnings };
}

const streamWarning: Warning = {
  code: 'probed_not_streamed',
  message: 'The scenario asks for streamed replies; the probe asked for replies that are not streamed.',
  remedy: 'Streams cost both sides more for each event: chat-load capacity measures them as a run does.',
};

const historyWarning: Warning = {
  code: 'probed_without_history',
  message: 'Each turn of the probe was the first message of a new conversation: no history was sent.',
  remedy: 'The later turns of a session cost the service more: chat-load capacity measures them as a run does.',
};

const ownProtocolWarning: Warning = {
  code: 'probed_by_chat_load_alone',
  message: `The protocol is one of the scenario, whose requests cannot be prepared, so autocannon was not used; the generator was measured with ${defaultProtocol}.`,
  remedy: 'The figures of the target are those of chat-load.',
};
