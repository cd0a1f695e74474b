import type { ApiDefinition, SocketDefinition } from '../protocol/defined/definition.ts';
import type { Duration } from './duration.ts';

/** A custom chat API over HTTP, or over WebSocket, for `target.protocol`. */
export type ProtocolDefinition = ApiDefinition<Duration> | SocketDefinition<Duration>;

/**
 * Declares a chat API: `target: { protocol: defineProtocol({ ... }) }`. Returns its argument; it exists so that an editor
 * completes and explains every field.
 */
export function defineProtocol(definition: ProtocolDefinition): ProtocolDefinition {
  return definition;
}
