import type { ApiDefinition } from '../protocol/defined/definition.ts';
import type { Duration } from './duration.ts';

/** A custom chat API, for `target.protocol`. */
export type ProtocolDefinition = ApiDefinition<Duration>;

/**
 * Declares a chat API: `target: { protocol: defineProtocol({ ... }) }`. Returns its argument; it exists so that an editor
 * completes and explains every field.
 */
export function defineProtocol(definition: ProtocolDefinition): ProtocolDefinition {
  return definition;
}
