import { isAbsolute } from 'node:path';
import type { z } from 'zod';
import { unknownName } from '../base/unknown-name.ts';
import { namesIn } from '../protocol/instructions.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';
import { protocolNames, protocols } from '../protocol/registry/registry.ts';
import type { scenarioShape } from './scenario-shape.ts';
import type { targetOptions } from './target-options.ts';
import { noProxy } from './way-options.ts';

interface Problem {
  path: string[];
  message: string;
}

/** Returns options that the protocol does not support: users would expect an ignored option to have an effect. */
export function targetProblems(target: z.output<typeof targetOptions>): Problem[] {
  const { protocol, stream, instructions, messagesPath, messageBody, conversation, http2, expectContinue } = target;
  const { name } = protocol;
  const refuse = (option: string, message: string): Problem => ({ path: ['target', option], message });
  const isFixed = protocol.fixedMessages === true;
  const taken = protocol.paths === undefined ? [] : reserved.filter((key) => key in messageBody);
  return [
    ...(stream && protocol.wholeOnly === true
      ? [refuse('stream', `the protocol ${name} does not support streamed replies`)]
      : []),
    ...(!stream && protocol.streamsOnly === true
      ? [refuse('stream', `the protocol ${name} only streams: omit the option, or set it to true`)]
      : []),
    ...(http2 && target.baseUrl === undefined ? [refuse('http2', 'the embedded service only supports HTTP/1.1')] : []),
    ...(http2 && expectContinue
      ? [refuse('expectContinue', 'requires HTTP/1.1: over HTTP/2 a server rejects a body by ending its stream')]
      : []),
    ...(isFixed && instructions !== undefined
      ? [refuse('instructions', `${name} does not support them: its agents have their own instructions`)]
      : []),
    ...(isFixed && messagesPath !== undefined ? [refuse('messagesPath', `the path of ${name} is fixed`)] : []),
    ...(isFixed && Object.keys(messageBody).length > 0
      ? [refuse('messageBody', `the fields of ${name} are fixed`)]
      : []),
    ...(conversation === 'conversation' && !keepsConversations(protocol)
      ? [
          refuse(
            'conversation',
            `is only an option of ${protocolNames.filter((each) => keepsConversations(protocols[each].protocol)).join(', ')}`,
          ),
        ]
      : []),
    ...(isFixed
      ? []
      : taken.map((key) => refuse(`messageBody.${key}`, `is written by the protocol ${name}${insteadOf(key)}`))),
    ...wayProblems(target).map((message) => refuse('unixSocket', message)),
  ];
}

/** Returns options that cannot be combined with a Unix socket. */
function wayProblems({ unixSocket, proxy, localAddresses, baseUrl }: z.output<typeof targetOptions>): string[] {
  // A path that is not absolute is reported by its own check.
  if (unixSocket === undefined || !isAbsolute(unixSocket)) return [];
  return [
    ...(proxy !== undefined && proxy !== noProxy ? ['is on this machine: no proxy (target.proxy) leads there'] : []),
    ...(localAddresses === undefined ? [] : ['is reached from no local address (target.localAddresses)']),
    ...(baseUrl === undefined ? ['needs target.baseUrl: it gives Host and the path'] : []),
  ];
}

type Given = Pick<
  z.output<z.ZodObject<typeof scenarioShape>>,
  'target' | 'stallTimeout' | 'objective' | 'variableValues'
>;

/** Returns options of the remaining scenario that the target does not support. */
export function unfitProblems({ target, stallTimeout, objective, variableValues }: Given): Problem[] {
  const variables = Object.keys(variableValues);
  const strangers = [...new Set(namesIn(target.instructions))].filter((name) => !variables.includes(name));
  const whole = target.stream ? undefined : 'needs target.stream: a reply that comes whole has no';
  return [
    ...(whole !== undefined && stallTimeout !== undefined
      ? [{ path: ['stallTimeout'], message: `${whole} pieces, and timeout bounds it` }]
      : []),
    ...(whole !== undefined && objective?.gap !== undefined
      ? [{ path: ['objective', 'gap'], message: `${whole} gaps` }]
      : []),
    ...strangers.map((name) => ({
      path: ['target', 'instructions'],
      message: unknownName('variable', name, variables),
    })),
  ];
}

/** Reports whether `target.conversation` has an effect on the protocol. */
const keepsConversations = (protocol: ChatProtocol): boolean =>
  protocol.createsSessions({ conversation: 'conversation' }) !==
  protocol.createsSessions({ conversation: 'previous_response' });

/** Fields of a message that the named protocols write themselves. */
const reserved = ['model', 'messages', 'input', 'stream', 'previous_response_id', 'conversation'];

function insteadOf(key: string): string {
  if (key === 'model') return ': set target.agentId';
  return key === 'stream' ? ': set target.stream' : '';
}
