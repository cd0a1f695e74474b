import { z } from 'zod';
import { unknownName } from '../base/unknown-name.ts';
import { isObject } from '../base/is-object.ts';
import { definedProtocol } from '../protocol/defined/defined-protocol.ts';
import type { ProtocolDefinition } from '../protocol/defined/definition.ts';
import { knownProtocols, protocolNames, type ProtocolName } from './known-protocols.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';

/** The schema of `target.protocol`: takes a name or a definition, gives the protocol. */
export const protocolOption = z
  .custom<ProtocolName | ProtocolDefinition>((value) => typeof value === 'string' || isObject(value), {
    error: `expected the name of a protocol (${protocolNames.join(', ')}), or defineProtocol({ ... })`,
  })
  .transform((value, context): ChatProtocol => {
    if (typeof value !== 'string') return definedProtocol(value, context);
    const known = protocolNames.find((name) => name === value);
    if (known !== undefined) return knownProtocols[known];
    context.issues.push({ code: 'custom', input: value, message: unknownName('protocol', value, protocolNames) });
    return z.NEVER;
  });
