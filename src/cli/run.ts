import type { CommandModule } from 'yargs';
import { ChatLoadError } from '../base/errors.ts';
import { prepareFolder } from '../edge/disk/write-result.ts';
import { invalid, type Settled } from '../plan/settle.ts';
import { renderResult } from '../report/render-result.ts';
import { runLine } from '../report/run-line.ts';
import { integrityLine } from '../report/verdict-lines.ts';
import { exitCodeOf, worstExitCode } from '../result/exit-code.ts';
import { readGate } from '../result/gates.ts';
import { newSitting, recordRun, type Recorded } from './record-run.ts';
import { settleScenario, takeScenario } from './scenario-arguments.ts';
import { openScreen, type Screen } from './screen.ts';
import { takeSignals, type Stops } from './signals.ts';
import { stderr, stdout } from './terminal.ts';

interface RunArguments {
  scenario: string;
  label: string | undefined;
  out: string;
  repeat: number;
  quiet: boolean;
  json: boolean;
}

export const runCommand: CommandModule<object, RunArguments> = {
  command: 'run <scenario>',
  describe: 'Run a scenario and write its result',
  builder: (yargs) =>
    takeScenario(yargs)
      .option('label', {
        type: 'string',
        requiresArg: true,
        default: process.env['CHAT_LOAD_LABEL'],
        describe: 'A name for this run, in the result and its file name',
      })
      .option('out', {
        type: 'string',
        requiresArg: true,
        default: process.env['CHAT_LOAD_OUT'] ?? 'results',
        describe: 'The folder for the result file',
      })
      .option('repeat', {
        type: 'number',
        requiresArg: true,
        default: 1,
        describe: 'So many runs back to back, as compare wants them: run i has the seed of the scenario + i - 1',
      })
      .option('quiet', {
        alias: 'q',
        type: 'boolean',
        default: false,
        describe: 'No progress and no tables: only failures, and where the result lies',
      })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'Print the result document on standard output, a line each, and nothing else there',
      })
      .example('$0 run scenarios/smoke.ts', 'Five seconds against the embedded service')
      .example(
        '$0 run scenarios/peak.ts --base-url https://agent.example --agent-id a1',
        'Against your own service; the key comes from CHAT_LOAD_API_KEY',
      )
      .example('$0 run scenarios/soak.ts --duration 1h --label nightly', 'An hour of the soak, labelled')
      .example(
        '$0 run scenarios/peak.ts --repeat 5 --label v1.4',
        'Five runs, to be compared with five of another release',
      ),
  handler: async (args) => {
    requireCount(args.repeat);
    const settled = await settleScenario({ ...args });
    checkGates(settled, args.scenario);
    await prepareFolder(args.out);
    const screen = openScreen(args.quiet);
    const stops = takeSignals((text) => screen.note(text));
    try {
      process.exitCode = await (args.repeat === 1 ? runOnce : runRepeatedly)(settled, args, { screen, stops });
    } finally {
      stops.release();
    }
  },
};

function requireCount(repeat: number): void {
  if (Number.isInteger(repeat) && repeat >= 1 && repeat <= 1000) return;
  throw new ChatLoadError('usage', {
    message: '--repeat takes a whole number from 1 to 1000.',
    hint: 'Five runs a side are a good start for a comparison: --repeat 5.',
  });
}

/** Gates are read before anything is sent: one on an unknown metric is an error of the scenario. */
export function checkGates({ plan }: Settled, file: string): void {
  const problems = Object.entries(plan.gates).flatMap(([metric, condition]) => {
    const read = readGate(metric, condition);
    return 'problem' in read ? [{ path: `gates.${metric}`, message: read.problem }] : [];
  });
  if (problems.length > 0) throw invalid(file, problems);
}

interface Surroundings {
  screen: Screen;
  stops: Stops;
}

async function runOnce(settled: Settled, args: RunArguments, around: Surroundings): Promise<number> {
  const place = { label: args.label ?? null, sitting: null, pair: null, out: args.out };
  const recorded = await recordRun(settled, place, around);
  print(recorded, args);
  return conclude(recorded, around.stops);
}

/** Runs of one sitting, until one of them is stopped. */
async function runRepeatedly(first: Settled, args: RunArguments, around: Surroundings): Promise<number> {
  const place = { label: args.label ?? null, sitting: newSitting(), pair: null, out: args.out };
  const codes: number[] = [];
  for (let run = 1; run <= args.repeat; run++) {
    const settled = run === 1 ? first : await settleScenario({ ...args, seed: first.plan.seed + run - 1 });
    const recorded = await recordRun(settled, place, around);
    if (args.json) stdout.line(JSON.stringify(recorded.result));
    else stdout.line(runLine(`run ${String(run)} of ${String(args.repeat)}`, recorded, stdout));
    codes.push(conclude(recorded, around.stops));
    if (recorded.stop !== undefined) break;
  }
  return worstExitCode(codes);
}

function print({ result, path }: Recorded, { quiet, json }: RunArguments): void {
  if (json) return stdout.line(JSON.stringify(result));
  if (!quiet) stdout.line(`${renderResult(result, stdout)}\n`);
  else {
    for (const gate of result.gates)
      if (gate.verdict !== 'pass') stdout.line(`gate ${gate.verdict}: ${gate.metric} ${gate.condition}`);
    if (result.integrity.verdict === 'fail') stdout.line(integrityLine(result, stdout));
  }
  stdout.line(`result    ${path}`);
}

/** Says why the run ended early, if it did, and gives the exit code. */
export function conclude({ result, stop }: Recorded, stops: Stops): number {
  switch (stop?.kind) {
    case 'bug':
      throw stop.error;
    case 'scenario_error':
      throw stop.error;
    case 'circuit':
      stderr.line(
        `${stderr.colors.red('error')} The service refused the API key (${stop.why}): nothing more was sent.`,
      );
      stderr.line('Check CHAT_LOAD_API_KEY (or target.apiKey), and that it is a key for the chat API of this account.');
      break;
    case 'signal':
    case undefined:
  }
  return exitCodeOf(result, stops.signal());
}
