import type { ApiDefinition } from '../protocol/defined/definition.ts';
import type { Duration } from './duration.ts';

/** A chat API as its author describes it, for `target.protocol`. */
export type ProtocolDefinition = ApiDefinition<Duration>;

/**
 * Declares how a chat API is spoken: `target: { protocol: defineProtocol({ ... }) }`. Returns what it is given; it
 * exists so that an editor completes and explains every field.
 */
export function defineProtocol(definition: ProtocolDefinition): ProtocolDefinition {
  return definition;
}
