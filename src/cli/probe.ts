import { ChatLoadError } from '../base/errors.ts';
import { printableJson } from '../base/printable.ts';
import type { Ms } from '../base/time.ts';
import { settle, type Settled } from '../plan/settle.ts';
import { renderProbe } from '../report/probe/render-probe.ts';
import { buildProbe, type ProbeDocument } from '../probe/build-probe.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { signalExitCodes, type SignalName } from '../result/exit-code.ts';
import type { Command } from './command.ts';
import { openStatus } from './open-status.ts';
import { performProbe, type ProbeBounds } from '../app/probe/perform-probe.ts';
import { readDurationFlag } from './read-duration-flag.ts';
import { settleScenario, takeOverrides } from './scenario-arguments.ts';
import { takeSignals } from './signals.ts';
import { stdout } from './terminal.ts';
import { toolVersion } from '../edge/tool-version.ts';

interface ProbeArguments {
  scenario?: string | undefined;
  'max-connections': number;
  'step-duration': string;
  'max-turns'?: number | undefined;
  json: boolean;
}

export const probeCommand: Command<ProbeArguments> = {
  builder: (yargs) =>
    takeOverrides(yargs, ({ group }) => group !== 'limits' && group !== 'output')
      .positional('scenario', {
        type: 'string',
        describe: 'A scenario whose sessions are sent and whose load is judged; without one, short sessions of its own',
      })
      .option('max-connections', {
        type: 'number',
        default: 64,
        requiresArg: true,
        describe: 'Climb to at most so many connections: 1, 2, 4, ...',
      })
      .option('step-duration', {
        type: 'string',
        default: '2s',
        requiresArg: true,
        describe: 'How long each of a step’s two loads lasts, by autocannon and by chat-load',
      })
      .option('max-turns', {
        type: 'number',
        requiresArg: true,
        describe: 'Send the target at most so many turns in all [maxTurns of the scenario, else 200000]',
      })
      .option('json', { type: 'boolean', default: false, describe: 'Print what was found as JSON, and nothing else' })
      .example('$0 probe', 'The embedded service, half a minute at most')
      .example(
        '$0 probe --base-url https://a.example --allow-host a.example',
        'Your own service; CHAT_LOAD_API_KEY and CHAT_LOAD_AGENT_ID are set',
      )
      .example('$0 probe scenarios/peak.ts --concurrency 200', 'Would peak be limited with 200 sessions at a time?')
      .example('$0 probe scenarios/peak.ts --step-duration 20s --max-connections 16', 'A slow agent, carefully'),
  handler: async (args) => {
    checkBounds(args);
    const settled = await settleProbe(args);
    const bounds = boundsOf(args, settled);
    const display = openStatus('probing');
    const stops = takeSignals(() => display.note('Stopping: what was measured so far is shown.'));
    const startedAt = new Date();
    const began = performance.now();
    try {
      const { baseUrl, ...seen } = await performProbe({ settled, bounds, stop: stops.drain, notify: display.notify });
      const facts = {
        ...seen,
        baseUrl: baseUrl.href,
        embedded: settled.embedded !== undefined,
        startedAt: startedAt.toISOString(),
        elapsedMs: performance.now() - began,
        toolVersion,
      };
      const probe = buildProbe(facts, { ...settled, isOwn: args.scenario === undefined });
      display.stop();
      stdout.line(args.json ? printableJson(probe, 2) : renderProbe(probe, stdout));
      process.exitCode = exitCodeOf(probe, stops.signal());
    } finally {
      display.stop();
      stops.release();
    }
  },
};

/** What is sent when no scenario is given; the embedded service then replies as fast as it can. */
const ownScenario: Scenario = {
  name: 'probe',
  sessions: 1,
  turns: 20,
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have come days ago.'],
};

async function settleProbe({ scenario, ...flags }: ProbeArguments): Promise<Settled> {
  if (scenario !== undefined) return settleScenario({ ...flags, scenario });
  return settle(ownScenario, { flags: { ...flags }, environment: process.env }, 'the probe');
}

const usualTurns = 200_000;

function checkBounds({ 'max-connections': maxConnections, 'max-turns': maxTurns = usualTurns }: ProbeArguments): void {
  requireCount('--max-connections', maxConnections, 10_000);
  requireCount('--max-turns', maxTurns, 1_000_000_000);
}

/** The turns are those of the scenario's cap, over which the flag has been laid already. */
function boundsOf(args: ProbeArguments, { plan }: Settled): ProbeBounds {
  const { maxTurns, maxSessions, maxCost } = plan;
  if (maxTurns === null && (maxSessions !== null || maxCost !== null))
    throw usage(
      'The scenario has a cap on sessions or cost, which a probe does not count.',
      'Nothing was sent. Say how many turns it may send: --max-turns.',
    );
  if (maxTurns !== null && maxTurns < 2)
    throw usage('--max-turns must be at least 2.', 'One turn is for autocannon and one for chat-load itself.');
  const { 'max-connections': maxConnections, 'step-duration': stepDuration } = args;
  return { maxConnections, maxTurns: maxTurns ?? usualTurns, stepMs: readStep(stepDuration) };
}

function requireCount(flag: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  throw usage(`${flag} takes a whole number from 1 to ${String(most)}.`, 'See chat-load probe --help.');
}

const readStep = (text: string): Ms =>
  readDurationFlag(text, {
    flag: '--step-duration',
    leastMs: 100,
    mostMs: 3_600_000,
    range: 'from 100ms to 1h',
    example: '2s or 500ms',
  });

const usage = (message: string, hint: string): ChatLoadError => new ChatLoadError('usage', { message, hint });

/** 129, 130 or 143 a signal stopped it, 4 nothing useful was measured, else 0. */
function exitCodeOf({ ceiling }: ProbeDocument, signal: SignalName | undefined): number {
  if (signal !== undefined) return signalExitCodes[signal];
  return ceiling === null ? 4 : 0;
}
