import { join, relative } from 'node:path';
import type { CommandModule } from 'yargs';
import { prepareFolder, writeWhole } from '../edge/disk/write-result.ts';
import { showProgress, type ProgressDisplay } from '../edge/live/show-progress.ts';
import { invalid, type Settled } from '../plan/settle.ts';
import type { Live } from '../record/live.ts';
import { progressBlock, progressLine } from '../report/progress.ts';
import { renderResult } from '../report/render-result.ts';
import { integrityLine } from '../report/verdict-lines.ts';
import { exitCodeOf } from '../result/exit-code.ts';
import { resultFileName } from '../result/file-name.ts';
import { readGate } from '../result/gates.ts';
import type { Result } from '../result/result.ts';
import { performRun, type Performed } from './perform-run.ts';
import { settleScenario, takeScenario } from './scenario-arguments.ts';
import { takeSignals, type Stops } from './signals.ts';
import { stderr, stdout } from './terminal.ts';

interface RunArguments {
  scenario: string;
  label: string | undefined;
  out: string;
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
      .option('quiet', {
        alias: 'q',
        type: 'boolean',
        default: false,
        describe: 'No progress and no tables: only failures, and where the result lies',
      })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'Print the result document on standard output, and nothing else there',
      })
      .example('$0 run scenarios/smoke.ts', 'Five seconds against the embedded service')
      .example(
        '$0 run scenarios/peak.ts --base-url https://agent.example --agent-id a1',
        'Against your own service; the key comes from CHAT_LOAD_API_KEY',
      )
      .example('$0 run scenarios/soak.ts --duration 1h --label nightly', 'An hour of the soak, labelled'),
  handler: async (args) => {
    const settled = await settleScenario({ ...args });
    checkGates(settled, args.scenario);
    await prepareFolder(args.out);
    let display: ProgressDisplay = silent;
    const stops = takeSignals((text) => display.note(text));
    try {
      const performed = await performRun(settled, {
        label: args.label ?? null,
        stops,
        note: (text) => display.note(text),
        show: (live) => {
          if (!args.quiet) display = show(live, settled);
          return () => display.stop();
        },
      });
      const path = join(args.out, resultFileName({ scenario: settled.plan.name, ...performed.result.run }));
      await writeWhole(path, `${JSON.stringify(performed.result, null, 1)}\n`);
      print(performed.result, relative('.', path), args);
      process.exitCode = conclude(performed, stops);
    } finally {
      stops.release();
    }
  },
};

/** Gates are read before anything is sent: one on an unknown metric is an error of the scenario. */
function checkGates({ plan }: Settled, file: string): void {
  const problems = Object.entries(plan.gates).flatMap(([metric, condition]) => {
    const read = readGate(metric, condition);
    return 'problem' in read ? [{ path: `gates.${metric}`, message: read.problem }] : [];
  });
  if (problems.length > 0) throw invalid(file, problems);
}

const silent: ProgressDisplay = { note: (text) => stderr.line(text), stop: () => undefined };

function show(live: () => Live, { plan: { sessions, durationMs } }: Settled): ProgressDisplay {
  return showProgress({
    stream: process.stderr,
    live,
    block: (now) => progressBlock({ live: now, sessions, durationMs }, stderr),
    line: (now) => progressLine({ live: now, sessions, durationMs }),
  });
}

function print(result: Result, path: string, { quiet, json }: RunArguments): void {
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
function conclude({ result, stop }: Performed, stops: Stops): number {
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
