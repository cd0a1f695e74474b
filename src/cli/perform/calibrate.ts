import { performCalibration } from '../../app/calibrate/perform-calibration.ts';
import type { CeilingBounds } from '../../app/calibrate/measure-target.ts';
import { usageError } from '../../base/errors.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { signalExitCodes } from '../../result/exit-code.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { printDocument } from '../console/deliver.ts';
import { withStatus } from '../console/screen.ts';
import type { Given } from '../parser/options.ts';
import { resolveGivenOr } from './resolve-scenario-file.ts';

type CalibrateArguments = Given<'calibrate'> & { scenario: string | undefined };

/** Messages without a scenario file; the embedded service then replies as fast as it can. */
const ownScenario: Scenario = {
  name: 'calibration',
  sessions: 1,
  turns: 20,
  variableValues: { customerName: 'Ada', orderNumber: 'ORD-{{session.number}}' },
  messages: ['Where is order {{orderNumber}}? It should have arrived days ago.'],
};

export async function calibrate(args: CalibrateArguments): Promise<number> {
  const resolved = await resolveGivenOr(args, { author: ownScenario, name: 'the calibration' });
  const bounds = boundsOf(args, resolved);
  const isOwn = args.scenario === undefined;
  return withStatus('calibrating', ['Stopping: nothing is stored.'], async (status, stops) => {
    const found = await performCalibration({ resolved, isOwn, bounds, stop: stops.drain, notify: status.notify });
    const signal = stops.signal();
    if (found === undefined || signal !== undefined) return signalExitCodes[signal ?? 'SIGINT'];
    const { document, path } = found;
    status.stop();
    await printDocument(document, args.json ? 'json' : 'terminal', { kept: path });
    return document.target.ceiling === null ? 4 : 0;
  });
}

/** Returns the limits of the load on the target; the flag has already overridden `maxTurns` of the scenario. */
function boundsOf(args: CalibrateArguments, { plan }: ResolvedScenario): CeilingBounds {
  const { maxTurns, maxSessions, maxCost } = plan;
  if (maxTurns === null && (maxSessions !== null || maxCost !== null))
    throw usageError(
      'The scenario limits sessions or cost, which calibrate does not count.',
      'Nothing was sent. Limit the turns with --max-turns.',
    );
  const { 'max-connections': maxConnections, 'step-duration': stepMs } = args;
  return { maxConnections, maxTurns: maxTurns ?? 200_000, stepMs };
}
