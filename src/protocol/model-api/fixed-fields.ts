import type { ProtocolTarget } from '../protocol.ts';

/** What only the protocol writes. */
const reserved = new Set(['messages', 'input', 'stream', 'model', 'previous_response_id', 'conversation']);

/** The beginning of every body, without its `}`: the model, and the scenario's own fields over those of the protocol. */
export function fixedFields(
  { agentId, stream, messageBody }: ProtocolTarget,
  ours: Readonly<Record<string, unknown>>,
): string {
  const theirs = Object.entries(messageBody).filter(([name]) => !reserved.has(name));
  const fields = { model: agentId, ...(stream ? { stream } : {}), ...ours, ...Object.fromEntries(theirs) };
  return JSON.stringify(fields).slice(0, -1);
}
