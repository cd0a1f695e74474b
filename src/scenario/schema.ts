import { isAbsolute } from 'node:path';
import type { z } from 'zod';
import { unknownName } from '../base/unknown-name.ts';
import { namesIn } from '../protocol/instructions.ts';
import { reservedFields } from '../protocol/model-api/message-route.ts';
import type { ChatProtocol } from '../protocol/protocol.ts';
import { isServed, protocolName, protocolNames, protocols } from '../protocol/registry/registry.ts';
import { closedObject } from './closed-object.ts';
import { noProxy } from './connection-options.ts';
import { scenarioShape } from './scenario-shape.ts';

/** The schema of a scenario file's default export: accepts an author's object, returns durations in milliseconds. */
export const scenarioSchema = closedObject(scenarioShape).superRefine((scenario, context) => {
  for (const [isWrong, path, message] of rulesOf(scenario))
    if (isWrong) context.addIssue({ code: 'custom', path: [...path], message });
});

/** A scenario as read: validated, with defaults, its templates not yet compiled. */
export type ReadScenario = z.output<typeof scenarioSchema>;

type Fields = z.output<z.ZodObject<typeof scenarioShape>>;
type Rule = readonly [isWrong: boolean, path: readonly PropertyKey[], message: string];

/** Rules that concern several options, in the order in which their problems are reported. */
function rulesOf(scenario: Fields): Rule[] {
  const { load, sessions, duration, maxCost, cost, prices, warmUp, integrity, target, stallTimeout, objective } =
    scenario;
  const hasEnd = [sessions, duration, load.stages, load.trace].some((given) => given !== undefined);
  const variables = Object.keys(scenario.variableValues);
  const strangers = [...new Set(namesIn(target.instructions))].filter((name) => !variables.includes(name));
  const streamed = 'requires target.stream: a non-streamed reply has no';
  return [
    [!hasEnd, ['sessions'], 'set sessions, duration, or both'],
    [
      maxCost !== undefined && cost === undefined && prices === undefined,
      ['maxCost'],
      'needs cost, a function of the reply, such as cost: (data) => Number(data.cost), or prices (--prices FILE)',
    ],
    ...targetRules(target).map(([isWrong, option, message]): Rule => [isWrong, ['target', option], message]),
    [
      !target.stream && stallTimeout !== undefined,
      ['stallTimeout'],
      `${streamed} further content, and timeout limits it`,
    ],
    [!target.stream && objective?.gap !== undefined, ['objective', 'gap'], `${streamed} gaps`],
    ...strangers.map((name): Rule => [true, ['target', 'instructions'], unknownName('variable', name, variables)]),
    ...endsOf(scenario)
      .filter(({ atMs }) => warmUp > 0 && warmUp >= atMs)
      .slice(0, 1)
      .map(({ name, atMs }): Rule => {
        const message = `${inSeconds(warmUp)} is not shorter than ${name}, ${inSeconds(atMs)}: nothing would be measured`;
        return [true, ['warmUp'], message];
      }),
    ...integrity.variables.map((name, index): Rule => [
      !variables.includes(name),
      ['integrity', 'variables', index],
      unknownName('variable', name, variables),
    ]),
  ];
}

type TargetRule = readonly [isWrong: boolean, option: string, message: string];

/** Options that the protocol or a Unix socket does not support: users would expect an ignored option to have an effect. */
function targetRules(target: Fields['target']): TargetRule[] {
  const { baseUrl, protocol, stream, messageBody, http2, unixSocket, proxy } = target;
  const { name, fixedMessages: isFixed = false } = protocol;
  const named = protocolName(name);
  const writesFields = protocol.paths !== undefined || (named !== undefined && protocol.transport !== undefined);
  const written = isFixed || !writesFields ? [] : reservedFields.filter((key) => key in messageBody);
  const keeping = protocolNames.filter((each) => keepsConversations(protocols[each].protocol));
  // A path that is not absolute is reported by its own check.
  const isSocket = unixSocket !== undefined && isAbsolute(unixSocket);
  return [
    [stream && protocol.wholeOnly === true, 'stream', `the protocol ${name} does not support streamed replies`],
    [
      !stream && protocol.streamsOnly === true,
      'stream',
      `the protocol ${name} only streams: omit the option, or set it to true`,
    ],
    ...(protocol.transport === 'websocket' ? socketRules(target) : []),
    [
      baseUrl === undefined && named !== undefined && !isServed(named),
      'protocol',
      `the embedded service does not support ${name}: set target.baseUrl`,
    ],
    [http2 && baseUrl === undefined, 'http2', 'the embedded service only supports HTTP/1.1'],
    [
      http2 && target.expectContinue,
      'expectContinue',
      'requires HTTP/1.1: over HTTP/2 a server rejects a body by ending its stream',
    ],
    [
      isFixed && target.instructions !== undefined,
      'instructions',
      `${name} does not support them: its agents have their own instructions`,
    ],
    [isFixed && target.messagesPath !== undefined, 'messagesPath', `the path of ${name} is fixed`],
    [isFixed && Object.keys(messageBody).length > 0, 'messageBody', `the fields of ${name} are fixed`],
    [
      target.conversation === 'conversation' && !keepsConversations(protocol),
      'conversation',
      `is only an option of ${keeping.join(', ')}`,
    ],
    ...written.map((key) => {
      const remedy = key in insteadOf ? `: set ${insteadOf[key] ?? ''}` : '';
      return [true, `messageBody.${key}`, `is written by the protocol ${name}${remedy}`] as const;
    }),
    [
      target.start !== undefined && baseUrl === undefined,
      'start',
      "requires target.baseUrl with the port that the agent listens on, such as 'http://127.0.0.1:9010'",
    ],
    [
      isSocket && proxy !== undefined && proxy !== noProxy,
      'unixSocket',
      'is on this machine: no proxy (target.proxy) leads there',
    ],
    [
      isSocket && target.localAddresses !== undefined,
      'unixSocket',
      'cannot be reached from a local address (target.localAddresses)',
    ],
    [
      isSocket && baseUrl === undefined,
      'unixSocket',
      'requires target.baseUrl, which defines the Host header and the path',
    ],
  ];
}

/** Options that sockets do not support; those of a definition make their own frames. */
const socketRules = ({ protocol: { name }, ...target }: Fields['target']): TargetRule[] => {
  const isDefined = protocolName(name) === undefined;
  return [
    [target.http2, 'http2', `${name} is a protocol over WebSocket, which chat-load opens only over HTTP/1.1`],
    [target.expectContinue, 'expectContinue', `${name} is a protocol over WebSocket: its messages have no body`],
    [
      isDefined && target.messagesPath !== undefined,
      'messagesPath',
      `${name} is a protocol over WebSocket: set connect.path`,
    ],
    [
      isDefined && Object.keys(target.messageBody).length > 0,
      'messageBody',
      `${name} is a protocol over WebSocket: its frames are made by send`,
    ],
  ];
};

/** Reports whether `target.conversation` has an effect on the protocol. */
const keepsConversations = (protocol: ChatProtocol): boolean =>
  protocol.createsSessions({ conversation: 'conversation' }) !==
  protocol.createsSessions({ conversation: 'previous_response' });

const insteadOf: Readonly<Record<string, string>> = { model: 'target.agentId', stream: 'target.stream' };

/** Returns the limits after which no session starts, if they are known in advance. */
function endsOf({ duration, maxDuration, load }: Fields) {
  const stagesMs = load.stages?.reduce((sum, stage) => sum + stage.duration, 0);
  return [
    { name: 'duration', atMs: duration },
    { name: 'maxDuration', atMs: maxDuration },
    { name: 'the stages', atMs: duration === undefined ? stagesMs : undefined },
  ].flatMap(({ name, atMs }) => (atMs === undefined ? [] : [{ name, atMs }]));
}

const inSeconds = (lengthMs: number): string => `${String(lengthMs / 1000)} s`;
