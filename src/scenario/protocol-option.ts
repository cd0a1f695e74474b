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
  const read = protocolSchema.safeParse(definition, { reportInput: true });
  if (read.success && protocolName(read.data.name) === undefined) return definedProtocol(read.data);
  if (read.success)
    context.issues.push({
      code: 'custom',
      input: read.data.name,
      path: ['name'],
      message: 'is the name of another protocol',
    });
  for (const issue of read.error?.issues ?? []) context.issues.push({ input: definition, ...issue } as never);
  return z.NEVER;
}
