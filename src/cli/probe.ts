import type { ProbeDocument } from '../probe/build-probe.ts';
import { signalExitCodes, type SignalName } from '../result/exit-code.ts';
import type { Command } from './command.ts';
import { takeFlags } from './flags.ts';
import { openStatus } from './open-status.ts';
import { performProbe } from '../app/probe/perform-probe.ts';
import { printDocument } from './print-document.ts';
import { boundsOf, checkBounds, settleProbe, type ProbeArguments } from './probe-arguments.ts';
import { takeOverrides } from './scenario-flags.ts';
import { takeSignals } from './signals.ts';

export const probeCommand: Command<ProbeArguments> = {
  builder: (yargs) =>
    takeFlags(
      takeOverrides(
        yargs.positional('scenario', {
          type: 'string',
          describe:
            'A scenario whose sessions are sent, and whose load is only judged: --duration does not shorten a probe; without one, short built-in sessions',
        }),
        ({ group }) => group !== 'limits' && group !== 'output',
      ),
      'json',
    )
      .option('max-connections', {
        type: 'number',
        default: 64,
        requiresArg: true,
        describe: 'The most connections to try: 1, 2, 4, ...',
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
        describe: 'The most turns to send in total [maxTurns of the scenario, else 200000]',
      })
      .example('$0 probe', 'The embedded service, in about half a minute')
      .example(
        '$0 probe --url https://a.test --agent-id NAME --allow-host a.test',
        'Your own service; CHAT_LOAD_API_KEY is set',
      )
      .example('$0 probe --url http://localhost:8000/v1 --model NAME', 'A model of this machine')
      .example('$0 probe scenarios/peak.ts --concurrency 200', 'Would peak be limited with 200 sessions at a time?')
      .example('$0 probe scenarios/peak.ts --step-duration 20s --max-connections 16', 'A slow agent, carefully'),
  handler: async (args) => {
    checkBounds(args);
    const settled = await settleProbe(args);
    const bounds = boundsOf(args, settled);
    const display = openStatus('probing');
    const stops = takeSignals(() => display.note('Stopping: what was measured so far is shown.'));
    try {
      const isOwn = args.scenario === undefined;
      const probe = await performProbe({ settled, isOwn, bounds, stop: stops.drain, notify: display.notify });
      display.stop();
      await printDocument(probe, args.json ? 'json' : 'terminal');
      process.exitCode = exitCodeOf(probe, stops.signal());
    } finally {
      display.stop();
      stops.release();
    }
  },
};

/** 129, 130 or 143 a signal stopped it, 4 nothing useful was measured, else 0. */
function exitCodeOf({ ceiling }: ProbeDocument, signal: SignalName | undefined): number {
  if (signal !== undefined) return signalExitCodes[signal];
  return ceiling === null ? 4 : 0;
}
