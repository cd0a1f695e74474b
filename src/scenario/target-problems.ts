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

/** What a protocol does not take: an option that did nothing would be believed to do something. */
export function targetProblems(target: z.output<typeof targetOptions>): Problem[] {
  const { protocol, stream, instructions, messagesPath, messageBody, conversation, http2, expectContinue } = target;
  const { name } = protocol;
  const refuse = (option: string, message: string): Problem => ({ path: ['target', option], message });
  const isFixed = protocol.fixedMessages === true;
  const taken = protocol.paths === undefined ? [] : reserved.filter((key) => key in messageBody);
  return [
    ...(stream && protocol.wholeOnly === true
      ? [refuse('stream', `the protocol ${name} has no replies in pieces`)]
      : []),
    ...(!stream && protocol.streamsOnly === true
      ? [refuse('stream', `the protocol ${name} only streams: omit the option, or set it to true`)]
      : []),
    ...(http2 && target.baseUrl === undefined ? [refuse('http2', 'the embedded service speaks HTTP/1.1 alone')] : []),
    ...(http2 && expectContinue
      ? [refuse('expectContinue', 'is of HTTP/1.1: over HTTP/2 a server refuses a body by ending its stream')]
      : []),
    ...(isFixed && instructions !== undefined
      ? [refuse('instructions', `${name} has no place for them: its agents have instructions of their own`)]
      : []),
    ...(isFixed && messagesPath !== undefined ? [refuse('messagesPath', `the path of ${name} is fixed`)] : []),
    ...(isFixed && Object.keys(messageBody).length > 0
      ? [refuse('messageBody', `the fields of ${name} are fixed`)]
      : []),
    ...(conversation === 'conversation' && !keepsConversations(protocol)
      ? [
          refuse(
            'conversation',
            `is an option of ${protocolNames.filter((each) => keepsConversations(protocols[each].protocol)).join(', ')} alone`,
          ),
        ]
      : []),
    ...(isFixed
      ? []
      : taken.map((key) => refuse(`messageBody.${key}`, `is written by the protocol ${name}${insteadOf(key)}`))),
    ...wayProblems(target).map((message) => refuse('unixSocket', message)),
  ];
}

/** What a Unix socket leaves no place for. */
function wayProblems({ unixSocket, proxy, localAddresses, baseUrl }: z.output<typeof targetOptions>): string[] {
  // What is no path at all is reported as such.
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

/** What the target does not take of the rest of a scenario. */
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

/** Whether `target.conversation` chooses something of it. */
const keepsConversations = (protocol: ChatProtocol): boolean =>
  protocol.createsSessions({ conversation: 'conversation' }) !==
  protocol.createsSessions({ conversation: 'previous_response' });

/** Fields of a message that the named protocols write themselves. */
const reserved = ['model', 'messages', 'input', 'stream', 'previous_response_id', 'conversation'];

function insteadOf(key: string): string {
  if (key === 'model') return ': set target.agentId';
  return key === 'stream' ? ': set target.stream' : '';
}
