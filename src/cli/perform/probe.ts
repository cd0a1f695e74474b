import { usageError } from '../../base/errors.ts';
import { performProbe, type ProbeBounds } from '../../app/probe/probe-target.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { signalExitCodes } from '../../result/exit-code.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { printDocument } from '../console/deliver.ts';
import { withStatus } from '../console/screen.ts';
import type { Given } from '../parser/options.ts';
import { resolveGivenOr } from './resolve-scenario-file.ts';

type ProbeArguments = Given<'probe'> & { scenario: string | undefined };

/** Sessions without a scenario file; the embedded service then replies as fast as it can. */
const ownScenario: Scenario = {
  name: 'probe',
  sessions: 1,
  turns: 20,
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have arrived days ago.'],
};

export async function probe(args: ProbeArguments): Promise<number> {
  const resolved = await resolveGivenOr(args, { author: ownScenario, name: 'the probe' });
  const bounds = boundsOf(args, resolved);
  const isOwn = args.scenario === undefined;
  return withStatus('probing', ['Stopping: the measurements so far are shown.'], async (status, stops) => {
    const found = await performProbe({ resolved, isOwn, bounds, stop: stops.drain, notify: status.notify });
    status.stop();
    await printDocument(found, args.json ? 'json' : 'terminal');
    const signal = stops.signal();
    if (signal !== undefined) return signalExitCodes[signal];
    // Nothing useful was measured.
    return found.ceiling === null ? 4 : 0;
  });
}

/** Returns the limits of a probe; the flag has already overridden `maxTurns` of the scenario. */
function boundsOf(args: ProbeArguments, { plan }: ResolvedScenario): ProbeBounds {
  const { maxTurns, maxSessions, maxCost } = plan;
  if (maxTurns === null && (maxSessions !== null || maxCost !== null))
    throw usageError(
      'The scenario limits sessions or cost, which a probe does not count.',
      'Nothing was sent. Limit the turns of the probe with --max-turns.',
    );
  if (maxTurns !== null && maxTurns < 2)
    throw usageError('--max-turns must be at least 2.', 'autocannon and chat-load each send at least one turn.');
  const { 'max-connections': maxConnections, 'step-duration': stepMs } = args;
  return { maxConnections, maxTurns: maxTurns ?? 200_000, stepMs };
}
