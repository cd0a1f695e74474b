import { z } from 'zod';
import { isObject } from '../base/is-object.ts';
import { definedProtocol } from '../protocol/defined/defined-protocol.ts';
import type { ProtocolDefinition } from './define-protocol.ts';
import {
  type ProtocolName,
  protocolName,
  protocolNames,
  protocols,
  unknownProtocol,
} from '../protocol/registry/registry.ts';
import { readWith } from './closed-object.ts';
import { protocolSchema } from './protocol-schema.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';

/** The schema of `target.protocol`: accepts a name or a definition, returns the protocol. */
export const protocolOption = z
  .custom<ProtocolName | ProtocolDefinition>((value) => typeof value === 'string' || isObject(value), {
    error: `expected the name of a protocol (${protocolNames.join(', ')}), or defineProtocol({ ... })`,
  })
  .transform((value, context): ChatProtocol => {
    if (typeof value !== 'string') return readDefinition(value, context);
    const known = protocolName(value);
    if (known !== undefined) return protocols[known].protocol;
    context.issues.push({ code: 'custom', input: value, message: unknownProtocol(value) });
    return z.NEVER;
  });

/** Returns the protocol of a definition; adds all its problems to the context. */
function readDefinition(definition: ProtocolDefinition, context: z.RefinementCtx): ChatProtocol {
  const read = readWith(protocolSchema, definition, context);
  if (context.issues.length > 0) return z.NEVER;
  if (protocolName(read.name) === undefined) return definedProtocol(read);
  const message = 'is the name of another protocol';
  context.issues.push({ code: 'custom', input: read.name, path: ['name'], message });
  return z.NEVER;
}
