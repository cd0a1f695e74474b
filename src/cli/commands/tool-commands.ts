import { command, commandGroup } from '../parser/command.ts';
import { list, text } from '../parser/rows.ts';

const conversationFiles = list('Files of conversations: JSON, JSON Lines or CSV', { demandOption: true });
const datasetEpilogue =
  'docs/reference/datasets.md describes every format and lists the licences of known data sets. ' +
  'Exit codes: 0 ok; 2 usage, or an unreadable file.';

/** Commands for results, data and services. */
export const toolCommands = [
  command({
    command: 'report <files..>',
    describe: 'Convert a result or another document to other formats',
    positionals: {
      files: list('Results, or documents printed by other commands with --json', { demandOption: true }),
    },
    options: ['report'],
    examples: [
      ['report results/peak.json', 'Print the tables of a run again'],
      ['report results/peak.json --report peak.html', 'Write one HTML page with charts, gates and tables'],
      ['report a.json b.json --report both.html', 'Overlay several runs on one page'],
      ['report results/peak.json --report run.xml', 'Write its gates as JUnit XML for CI'],
      ['report results/peak.json --report run.hlog', 'Write a log for HdrHistogram tools'],
    ],
    epilogue: async () => (await import('../perform/report.ts')).formatsByKind(),
    perform: async (args) => (await import('../perform/report.ts')).report(args),
  }),
  command({
    command: 'ui [folders..]',
    describe: 'Browse results, reports and active runs in a browser',
    positionals: {
      folders: list('Folders with results; subfolders are not read', { default: ['results'] }),
    },
    options: ['ui'],
    examples: [
      ['ui', 'Browse the results in results/'],
      ['ui nightly results/baseline', 'Browse two folders together'],
      ['ui --port 8080', 'Listen on port 8080'],
    ],
    epilogue: 'Nothing is written. Press Ctrl-C to exit. Exit codes: 0 ok; 2 usage; 3 the port is in use.',
    perform: async (args) => (await import('../perform/ui.ts')).browse(args),
  }),
  command({
    command: 'recover <journal>',
    describe: 'Rebuild the result of an interrupted run from its journal',
    positionals: {
      journal: text('Journal (.ndjson) that the run left in its folder; it is not changed', { demandOption: true }),
    },
    options: ['recover'],
    examples: [
      ['recover results/soak-20260131T220000Z.ndjson', 'Write the result next to the journal'],
      ['recover soak.ndjson --out results', 'Write the result to another folder'],
    ],
    epilogue:
      'Exit codes: as for run, for the recovered result; 2 nothing can be recovered; 3 a file cannot be written.',
    perform: async (args) => (await import('../perform/report.ts')).recover(args),
  }),
  command({
    command: 'fit <files..>',
    describe: 'Derive a scenario from recorded traffic or conversations',
    positionals: { files: list('A trace, a file of conversations, or one of each', { demandOption: true }) },
    options: ['fit'],
    examples: [
      ['fit trace.csv', 'Print a scenario; the quality of the fit is written to standard error'],
      ['fit trace.csv --to fitted.ts', 'Write the scenario to a file'],
      ['fit trace.csv talks.jsonl --to fitted.ts', 'Take timing from a trace and messages from conversations'],
      ['fit access.csv --columns at=time,session=user', 'Read any CSV or JSON Lines'],
    ],
    epilogue:
      'No file is overwritten. A poor fit is reported as a warning; load: { trace } replays the trace exactly. ' +
      'Exit codes: 0 fitted; 2 usage, or an unreadable file; 3 the scenario cannot be written.',
    perform: async (args) => (await import('../perform/workload.ts')).fit(args),
  }),
  commandGroup({
    command: 'dataset <inspect|convert>',
    describe: 'Inspect or convert files of conversations',
    parts: [
      command({
        command: 'inspect <files..>',
        describe: 'Show turns, lengths, languages, duplicates and likely personal data',
        positionals: { files: conversationFiles },
        options: ['inspect'],
        examples: [
          ['dataset inspect talks.json', 'Describe one file'],
          ['dataset inspect chats-*.jsonl --json', 'Print the document of several files, as JSON'],
        ],
        epilogue: datasetEpilogue,
        perform: async (args) => (await import('../perform/workload.ts')).inspect(args),
      }),
      command({
        command: 'convert <files..>',
        describe: 'Write conversations in the format of fromFile()',
        positionals: { files: conversationFiles },
        options: ['convert'],
        examples: [
          ['dataset convert talks.json --to talks.jsonl --redact', 'Convert for messages: fromFile("talks.jsonl")'],
          ['dataset convert chats-*.jsonl --to en.jsonl --language en', 'Select conversations by language'],
          ['dataset convert talks.json --to few.jsonl --dedupe --sample 500', 'Draw a sample without duplicates'],
        ],
        epilogue: `${datasetEpilogue.slice(0, -1)}; 3 the file cannot be written.`,
        perform: async (args) => (await import('../perform/workload.ts')).convert(args),
      }),
    ],
    examples: [
      ['dataset inspect talks.json', 'Show turns, lengths, languages, duplicates and likely personal data'],
      ['dataset convert talks.json --to talks.jsonl --redact', 'Convert for messages: fromFile("talks.jsonl")'],
      ['dataset convert --help', 'Show the flags of convert'],
    ],
  }),
  command({
    command: 'serve',
    describe: 'Start the reference chat service, or a mock model',
    options: ['serve'],
    examples: [
      ['serve', 'Serve the scripted agent on http://127.0.0.1:4010'],
      ['serve --port 0 --latency 800ms --capacity 20', 'Select a free port; limit replies to 25 per second'],
      ['serve --config service.json', 'Read latency distributions, faults, agents and keys from a file'],
      [
        'serve --completions-url http://gpu/v1 --completions-model qwen3',
        'Serve the same API in front of your own model',
      ],
      ['serve --as model', 'Serve a mock language model on http://127.0.0.1:9009/v1'],
      ['serve --as model --config model.json', 'Read replies, tools, limits and faults of the model from a file'],
    ],
    epilogue: async () => {
      const { agentId, apiKey } = (await import('../../scenario/embedded.ts')).embeddedDefaults;
      return (
        `The agent is ${agentId}, the key ${apiKey}, unless --config sets others. Besides chat-messaging, the service ` +
        "implements OpenAI's chat completions and responses and Anthropic's messages, streamed or not, at " +
        '/v1/chat/completions, /v1/responses and /v1/messages; the model is the agent. /v1/responses and /v1/socket ' +
        'accept WebSockets. With --as model, the service plays the language model that an agent calls, with the options of model in a scenario ' +
        '(docs/reference/model-service.md). ' +
        'Press Ctrl-C to exit. Exit codes: 0 ok, also after a signal; 2 usage; 3 the port is in use; 70 a bug.'
      );
    },
    perform: async (args) =>
      args.as === 'model'
        ? (await import('../perform/serve-model.ts')).serveModel(args)
        : (await import('../perform/serve.ts')).serve(args),
  }),
];
