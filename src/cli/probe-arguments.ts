import type { ProbeBounds } from '../app/probe/probe-target.ts';
import { ChatLoadError } from '../base/errors.ts';
import type { Ms } from '../base/time.ts';
import type { Settled } from '../plan/settle.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { readDurationFlag } from './read-duration-flag.ts';
import { settleScenario } from './scenario-arguments.ts';
import { settleOwn } from './without-file.ts';

export interface ProbeArguments {
  scenario?: string | undefined;
  'max-connections': number;
  'step-duration': string;
  'max-turns'?: number | undefined;
  json: boolean;
}

/** What is sent when no scenario is given; the embedded service then replies as fast as it can. */
const ownScenario: Scenario = {
  name: 'probe',
  sessions: 1,
  turns: 20,
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have come days ago.'],
};

/** The scenario that is probed with. */
export async function settleProbe({ scenario, ...flags }: ProbeArguments): Promise<Settled> {
  if (scenario !== undefined) return settleScenario({ ...flags, scenario });
  return settleOwn({ author: ownScenario, name: 'the probe' }, { ...flags });
}

const usualTurns = 200_000;

/** Throws a usage error for a bound outside its limits. */
export function checkBounds({
  'max-connections': maxConnections,
  'max-turns': maxTurns = usualTurns,
}: ProbeArguments): void {
  requireCount('--max-connections', maxConnections, 10_000);
  requireCount('--max-turns', maxTurns, 1_000_000_000);
}

/** The turns are those of the scenario's cap, which the flag has already overridden. */
export function boundsOf(args: ProbeArguments, { plan }: Settled): ProbeBounds {
  const { maxTurns, maxSessions, maxCost } = plan;
  if (maxTurns === null && (maxSessions !== null || maxCost !== null))
    throw usage(
      'The scenario limits sessions or cost, which a probe does not count.',
      'Nothing was sent. Give the number of turns it may send: --max-turns.',
    );
  if (maxTurns !== null && maxTurns < 2)
    throw usage('--max-turns must be at least 2.', 'autocannon sends one turn and chat-load itself another.');
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
