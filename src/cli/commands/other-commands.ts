import { command } from '../parser/command.ts';
import { list, oneOf, text } from '../parser/rows.ts';

/** The commands that neither send load nor compare, by what they are for. */
export const otherCommands = {
  results: [
    command({
      command: 'report <files..>',
      describe: 'Print a document again, in any format that it has',
      positionals: { files: list('Results, and what other commands print with --json', { demandOption: true }) },
      options: ['report'],
      examples: [
        ['report results/peak.json', 'The tables of a run again'],
        ['report results/peak.json --format html --out peak.html', 'One page to send: charts, gates, tables'],
        ['report a.json b.json --format html --out both.html', 'Several runs over each other'],
        ['report results/peak.json --format junit --out run.xml', 'Its gates for CI'],
        ['report results/peak.json --format hlog --out run.hlog', 'For the tools of HdrHistogram'],
      ],
      epilogue: async () => (await import('../perform/report.ts')).formatsByKind(),
      perform: async (args) => (await import('../perform/report.ts')).report(args),
    }),
    command({
      command: 'ui [folders..]',
      describe: 'Browse results, reports and runs under way in a browser',
      positionals: {
        folders: list('Folders with results; folders within them are not read', { default: ['results'] }),
      },
      options: ['ui'],
      examples: [
        ['ui', 'The results in results/, in your browser'],
        ['ui nightly results/baseline', 'Those of two folders together'],
        ['ui --port 8080', 'On a port of your own'],
      ],
      epilogue: 'Reads only. Ctrl-C ends it. Exit codes: 0 ok, 2 usage, 3 the port is in use.',
      perform: async (args) => (await import('../perform/ui.ts')).browse(args),
    }),
    command({
      command: 'recover <journal>',
      describe: 'Build the result of a run that died from its journal',
      positionals: {
        journal: text('The .ndjson file that the run left in its folder; it is not changed', { demandOption: true }),
      },
      options: ['recover'],
      examples: [
        ['recover results/soak-20260131T220000Z.ndjson', 'The result, beside the journal'],
        ['recover soak.ndjson --out results', 'In a folder of your choice'],
      ],
      epilogue: 'Exit codes: those of run for what was recovered; 2 if nothing can be, 3 if it cannot be written.',
      perform: async (args) => (await import('../perform/report.ts')).recover(args),
    }),
  ],
  workload: [
    command({
      command: 'fit <files..>',
      describe: 'Make a scenario of recorded traffic or conversations',
      positionals: { files: list('A trace, a file of conversations, or one of each', { demandOption: true }) },
      options: ['fit'],
      examples: [
        ['fit trace.csv', 'A scenario on standard output, the fit beside the data on standard error'],
        ['fit trace.csv --to fitted.ts', 'A scenario in a file'],
        ['fit trace.csv talks.jsonl --to fitted.ts', 'When from a trace, what from conversations'],
        ['fit access.csv --columns at=time,session=user', 'Any CSV or JSON lines'],
      ],
      epilogue:
        'No file is overwritten. A poor fit is a warning: load: { trace } replays the trace as it was. ' +
        'Exit codes: 0 fitted, 2 usage or an unreadable input, 3 the scenario cannot be written.',
      perform: async (args) => (await import('../perform/workload.ts')).fit(args),
    }),
    command({
      command: 'dataset <part> <files..>',
      describe: 'Convert conversations of files, and see what is in them',
      positionals: {
        part: oneOf(
          ['convert', 'inspect'],
          'convert: write conversations for fromFile(); inspect: show what is in them',
          { demandOption: true },
        ),
        files: list('Files of conversations: JSON, JSON Lines, CSV or Parquet', { demandOption: true }),
      },
      options: ['dataset'],
      examples: [
        ['dataset inspect talks.json', 'Turns, lengths, languages, duplicates, what looks personal'],
        ['dataset convert talks.json --to talks.jsonl --redact', 'For messages: fromFile("talks.jsonl")'],
        [
          'dataset convert chats-*.parquet --to en.jsonl --language en',
          'Some of many; --min-turns, --dedupe and --sample choose too',
        ],
      ],
      epilogue:
        'docs/datasets.md shows every form, and names the licences of known sets. ' +
        'Exit codes: 0 ok, 2 usage or a file that cannot be read, 3 the file cannot be written.',
      perform: async (args) => (await import('../perform/workload.ts')).performPart(args),
    }),
  ],
  fleet: [
    command({
      command: 'worker <scenarios..>',
      describe: 'Play shards of runs that run --fleet starts elsewhere',
      positionals: {
        scenarios: list('The scenario files that may be executed here, or patterns of them in quotes', {
          demandOption: true,
        }),
      },
      options: ['worker'],
      examples: [
        ['worker scenarios/peak.ts --redis redis://10.0.0.5:6379', 'A worker; start as many as a run has shards'],
        ["worker 'scenarios/*.ts' --redis rediss://redis:6380 --cores 4", 'Four shards at once, over TLS'],
        ['worker scenarios/peak.ts --once --wait 10m', 'One shard, then end; Redis from CHAT_LOAD_REDIS_URL'],
      ],
      epilogue:
        'Only the named files are executed, as they were when the worker was started, never one in node_modules or in a ' +
        'hidden folder. The key of the target comes from the environment of the worker (CHAT_LOAD_API_KEY), user and password of Redis ' +
        'better from CHAT_LOAD_REDIS_USERNAME and CHAT_LOAD_REDIS_PASSWORD than from its address. A first Ctrl-C or ' +
        'SIGTERM drains its shards, a second cuts them. Exit codes: 0 ok, also after a signal; 2 usage; 3 Redis cannot be used, no shard ' +
        'came within --wait, or with --once a shard was refused or failed; 70 a bug.',
      perform: async (args) => (await import('../perform/worker.ts')).work(args),
    }),
    command({
      command: 'fleet <part> <scenario>',
      describe: 'Print what plays a scenario on many machines',
      positionals: {
        part: oneOf(['manifest'], 'manifest: print the resources of Kubernetes that play a scenario, as YAML', {
          demandOption: true,
        }),
        scenario: text('The scenario file (TypeScript or JavaScript)', { demandOption: true }),
      },
      overrides: () => true,
      options: ['manifest'],
      examples: [
        [
          'fleet manifest scenarios/peak.ts --shards 4 > peak.yaml',
          'For kubectl apply; CHAT_LOAD_BASE_URL and CHAT_LOAD_AGENT_ID are set',
        ],
        ['fleet manifest scenarios/peak.ts --shards 40 --namespace load', 'In a namespace'],
      ],
      epilogue:
        'The target is not the embedded service, which workers on other machines cannot reach. docs/fleet.md explains where a fleet runs, and what it is made of.',
      perform: async (args) => (await import('../perform/plan.ts')).printManifest(args),
    }),
  ],
  other: [
    command({
      command: 'serve',
      describe: 'Start the reference chat service',
      options: ['serve'],
      examples: [
        ['serve', 'On http://127.0.0.1:4010, with the scripted agent'],
        ['serve --port 0 --latency 800ms --capacity 20', 'A free port; at most 25 replies a second'],
        ['serve --cores auto', 'A process per core, behind one address'],
        ['serve --config service.json', 'Latency distributions, faults, agents and keys from a file'],
        ['serve --completions-url http://gpu/v1 --completions-model qwen3', 'The same API in front of your own model'],
      ],
      epilogue:
        "Besides chat-messaging it speaks OpenAI's chat completions and responses and Anthropic's messages, whole and " +
        'streamed, at /v1/chat/completions, /v1/responses and /v1/messages; the model is the agent.',
      perform: async (args) => (await import('../perform/serve.ts')).serve(args),
    }),
    command({
      command: 'completion [shell]',
      describe: 'Print a script that completes commands and flags',
      positionals: {
        shell: oneOf(['bash', 'zsh'], 'The shell of the script', {
          default: process.env['SHELL']?.endsWith('zsh') === true ? 'zsh' : 'bash',
        }),
      },
      examples: [
        ['completion bash >> ~/.bashrc', 'Complete commands and flags in bash'],
        ['completion zsh >> ~/.zshrc', 'The same in zsh'],
      ],
      perform: async ({ shell }) => (await import('../parser/command.ts')).printScript(shell),
    }),
  ],
};
