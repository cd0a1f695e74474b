import { performProbe } from '../../app/probe/probe-target.ts';
import type { ProbeBounds } from '../../app/probe/probe-target.ts';
import type { Settled } from '../../plan/settle.ts';
import type { ProbeDocument } from '../../probe/build-probe.ts';
import { signalExitCodes, type SignalName } from '../../result/exit-code.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { printDocument } from '../console/deliver.ts';
import { withStatus } from '../console/screen.ts';
import type { Given } from '../parser/options.ts';
import { usage } from '../parser/rows.ts';
import { settleGivenOr } from './without-file.ts';

type ProbeArguments = Given<'probe'> & { scenario: string | undefined };

/** What is sent when no scenario is given; the embedded service then replies as fast as it can. */
const ownScenario: Scenario = {
  name: 'probe',
  sessions: 1,
  turns: 20,
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have come days ago.'],
};

export async function probe(args: ProbeArguments): Promise<number> {
  const settled = await settleGivenOr(args, { author: ownScenario, name: 'the probe' });
  const bounds = boundsOf(args, settled);
  const isOwn = args.scenario === undefined;
  return withStatus('probing', ['Stopping: what was measured so far is shown.'], async (status, stops) => {
    const found = await performProbe({ settled, isOwn, bounds, stop: stops.drain, notify: status.notify });
    status.stop();
    await printDocument(found, args.json ? 'json' : 'terminal');
    return exitCodeOf(found, stops.signal());
  });
}

const usualTurns = 200_000;

/** The turns are those of the scenario's cap, which the flag has already overridden. */
function boundsOf(args: ProbeArguments, { plan }: Settled): ProbeBounds {
  const { maxTurns, maxSessions, maxCost } = plan;
  if (maxTurns === null && (maxSessions !== null || maxCost !== null))
    throw usage(
      'The scenario limits sessions or cost, which a probe does not count.',
      'Nothing was sent. Give the number of turns it may send: --max-turns.',
    );
  if (maxTurns !== null && maxTurns < 2)
    throw usage('--max-turns must be at least 2.', 'autocannon sends one turn and chat-load itself another.');
  const { 'max-connections': maxConnections, 'step-duration': stepMs } = args;
  return { maxConnections, maxTurns: maxTurns ?? usualTurns, stepMs };
}

/** 129, 130 or 143 a signal stopped it, 4 nothing useful was measured, else 0. */
function exitCodeOf({ ceiling }: ProbeDocument, signal: SignalName | undefined): number {
  if (signal !== undefined) return signalExitCodes[signal];
  return ceiling === null ? 4 : 0;
}
