import { onDemand } from './command.ts';

/** The commands by what they are for, in the order in which they are listed. */
export const commandGroups = {
  begin: [
    onDemand(
      'init [folder]',
      'Write a scenario for your own agent, or copy a shipped one',
      async () => (await import('./init.ts')).initCommand,
    ),
    onDemand(
      'try [scenario]',
      'Print one conversation with a service: can it be loaded?',
      async () => (await import('./try.ts')).tryCommand,
    ),
    onDemand(
      'check [scenario]',
      'Test a service against its API description, rule by rule',
      async () => (await import('./check.ts')).checkCommand,
    ),
    onDemand(
      'plan [scenario]',
      'Show what a run would do, without sending anything',
      async () => (await import('./plan.ts')).planCommand,
    ),
    onDemand(
      'run [scenario]',
      'Run a scenario and write its result',
      async () => (await import('./run.ts')).runCommand,
    ),
  ],
  measure: [
    onDemand(
      'capacity [scenario]',
      'Find the most load under which objectives hold',
      async () => (await import('./capacity.ts')).capacityCommand,
    ),
    onDemand(
      'probe [scenario]',
      'Find the ceilings of target and generator',
      async () => (await import('./probe.ts')).probeCommand,
    ),
    onDemand(
      'calibrate',
      'Measure how far this generator reads from the truth',
      async () => (await import('./calibrate.ts')).calibrateCommand,
    ),
  ],
  compare: [
    onDemand(
      'compare [base-results] [head-results]',
      'Is this release slower than the last? A verdict',
      async () => (await import('./compare.ts')).compareCommand,
    ),
    onDemand(
      'ab <scenario>',
      'Run two releases alternately, and compare them in pairs',
      async () => (await import('./ab.ts')).abCommand,
    ),
    onDemand(
      'trend [folder]',
      'Find when a metric changed, in the results of many nights',
      async () => (await import('./trend.ts')).trendCommand,
    ),
    onDemand(
      'nightly [scenario]',
      'The nightly job: run, compare, look for change points',
      async () => (await import('./nightly.ts')).nightlyCommand,
    ),
  ],
  results: [
    onDemand(
      'report <files..>',
      'Print a document again, in any format that it has',
      async () => (await import('./report.ts')).reportCommand,
    ),
    onDemand(
      'ui [folders..]',
      'Browse results, reports and runs under way in a browser',
      async () => (await import('./ui.ts')).uiCommand,
    ),
    onDemand(
      'recover <journal>',
      'Build the result of a run that died from its journal',
      async () => (await import('./recover.ts')).recoverCommand,
    ),
  ],
  workload: [
    onDemand(
      'fit <files..>',
      'Make a scenario of recorded traffic or conversations',
      async () => (await import('./fit.ts')).fitCommand,
    ),
    onDemand(
      'dataset <part> <files..>',
      'Convert conversations of files, and see what is in them',
      async () => (await import('./dataset.ts')).datasetCommand,
    ),
  ],
  fleet: [
    onDemand(
      'worker <scenarios..>',
      'Play shards of runs that run --fleet starts elsewhere',
      async () => (await import('./worker.ts')).workerCommand,
    ),
    onDemand(
      'fleet <part> <scenario>',
      'Print what plays a scenario on many machines',
      async () => (await import('./fleet.ts')).fleetCommand,
    ),
  ],
  other: [
    onDemand('serve', 'Start the reference chat service', async () => (await import('./serve.ts')).serveCommand),
    onDemand(
      'completion [shell]',
      'Print a script that completes commands and flags',
      async () => (await import('./completion.ts')).completionCommand,
    ),
  ],
};
