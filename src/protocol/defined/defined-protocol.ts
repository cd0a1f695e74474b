import { z } from 'zod';
import type { ChatProtocol } from '../protocol.ts';
import type { ProtocolDefinition } from './definition.ts';

/** The protocol that an author defined; every problem of the definition goes to the context. */
export function definedProtocol(definition: ProtocolDefinition, context: z.RefinementCtx): ChatProtocol {
  context.issues.push({ code: 'custom', input: definition, message: 'definitions are not read yet' });
  return z.NEVER;
}
