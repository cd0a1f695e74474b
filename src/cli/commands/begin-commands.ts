import { command } from '../parser/command.ts';
import { optionalScenario, text } from '../parser/rows.ts';

const runFailures =
  '3 the target is unreachable or unsuitable, the key was refused, or a file cannot be written; 4 the run is invalid; ' +
  '70 a bug; 129, 130, 143 a signal.';

export const beginCommands = [
  command({
    command: 'init [folder]',
    describe: 'Write a scenario for your own agent, or copy an example',
    positionals: { folder: text('Folder to write to; created if missing', { default: '.' }) },
    options: ['init'],
    examples: [
      ['init', 'Write scenarios/agent.ts for your own agent'],
      ['init --url http://localhost:8000/v1 --model NAME --stream', 'Write a scenario for a model'],
      ["init --from-curl 'curl https://bot.example/chat -d ...'", 'Write and try the scenario of a request that works'],
      ['init --from-curl - < request.sh', 'Read the curl command from standard input'],
      ['init --from-openapi openapi.json --operation chat', 'Write and try the scenario of an operation'],
      ['init load-tests --ci github', 'Write to load-tests/, with a GitHub workflow'],
      ['init --example peak', 'Copy an example'],
      ['init --example inside', 'Copy an agent that calls a model, and its scenario'],
    ],
    epilogue:
      'No file is overwritten. Exit codes: 0 ok; 2 usage, or the scenario exists (with --ci, existing scenarios are ' +
      'kept: 2 if the workflow exists); 3 a file cannot be written. --from-curl and --from-openapi end with the code of try.',
    perform: async (args) => (await import('../perform/init.ts')).initProject(args),
  }),
  command({
    command: 'try [scenario]',
    describe: 'Hold one conversation with a service and print it',
    positionals: {
      scenario: text(
        'Scenario whose target, first message and variable values are used; without a base URL, the embedded service',
      ),
    },
    overrides: ({ group, flag }) => group === 'target' || flag === 'timeout' || flag === 'model-port',
    options: ['try'],
    examples: [
      ['try', 'Try the embedded service'],
      ['try scenarios/agent.ts', 'Try the target of a scenario'],
      [
        'try --url http://localhost:8000/v1 --model NAME --stream',
        'Try a model; if its API is not detected, add --protocol',
      ],
      [
        'try --url https://a.example --allow-host a.example --agent-id NAME',
        'Try an agent on another machine (with CHAT_LOAD_API_KEY set)',
      ],
    ],
    epilogue:
      'Sends one conversation of three turns (the first message, a code to remember, the question for it), one more streamed turn if replies are not streamed, ' +
      'the first message again in another conversation, to detect a cache, and, if the first reply does not match the protocol, at most 30 requests that generate nothing, to detect the protocol. Nothing is written to a file. ' +
      'Exit codes: 0 the service can be loaded; 1 it replies, but cannot be loaded; 2 usage, or the scenario failed; ' +
      '3 it is unreachable, does not reply, or refuses the key; 70 a bug; 129, 130, 143 a signal.',
    perform: async (args) => (await import('../perform/try.ts')).tryService(args),
  }),
  command({
    command: 'check [scenario]',
    describe: 'Test a service against its API description, rule by rule',
    positionals: {
      scenario: text('Scenario whose target, timeouts and values are used; without a base URL, the embedded service'),
    },
    // Both streamed and non-streamed replies are requested; with --stream, streams are required.
    overrides: ({ group }) => group === 'target',
    options: ['check'],
    examples: [
      ['check', 'Test every rule with the embedded service'],
      [
        'check --url https://a.test --agent-id NAME --allow-host a.test',
        'Test your own service (with CHAT_LOAD_API_KEY set)',
      ],
      ['check scenarios/peak.ts --chat-off-agent agent-chat-off', 'Create sessions as the scenario does'],
      [
        'check --variable customerName=Ada-7391 --report check.xml',
        'Test variables too, and write a JUnit file for CI',
      ],
      ['check --only memory --only two-at-once', 'Test two rules only'],
      ['check --protocol anthropic-messages', 'Test the embedded service by the rules of another API'],
      ['check --url http://localhost:8000/v1 --model NAME', 'Test a local model by the rules of its protocol'],
    ],
    epilogue:
      'Keys are read from the environment: CHAT_LOAD_API_KEY, and a key of the wrong type from CHAT_LOAD_WRONG_KIND_KEY. ' +
      'Exit codes: 0 every tested required rule passed; 1 one failed; 2 usage; 3 the target is unreachable, the key was refused, or a file cannot be written; ' +
      '4 no rule could be tested; 70 a bug; 129, 130, 143 a signal.',
    perform: async (args) => (await import('../perform/check.ts')).checkService(args),
  }),
  command({
    command: 'plan [scenario]',
    describe: 'Show what a run would do, without sending anything',
    positionals: optionalScenario,
    overrides: () => true,
    options: ['prompts', 'plan'],
    examples: [
      ['plan scenarios/peak.ts', 'Show sessions, turns, schedule and peak concurrency'],
      [
        'plan scenarios/soak.ts --rate 20 --reply-time 2s',
        'Show the concurrent sessions of 20 new sessions per second',
      ],
    ],
    epilogue: 'Exit codes: 0 ok; 2 usage, or an invalid scenario; 70 a bug.',
    perform: async (args) => (await import('../perform/plan.ts')).planRun(args),
  }),
  command({
    command: 'run [scenario]',
    describe: 'Run a scenario and write its result',
    positionals: optionalScenario,
    overrides: () => true,
    options: ['prompts', 'metrics', 'fleet', 'run'],
    examples: [
      ['run scenarios/smoke.ts', 'Run five seconds against the embedded service'],
      [
        'run --url http://localhost:8000/v1 --model NAME --stream',
        'Load your model for a minute, without a scenario file',
      ],
      [
        'run scenarios/peak.ts --base-url URL --allow-host HOST',
        'Load your own service (with CHAT_LOAD_API_KEY and CHAT_LOAD_AGENT_ID set)',
      ],
      ['run scenarios/soak.ts --duration 1h --label nightly', 'Run a soak of one hour with a label'],
      ['run scenarios/peak.ts --cores auto', 'Use every core of this machine'],
      [
        'run scenarios/peak.ts --fleet redis://10.0.0.5 --shards 8',
        'Use eight workers (with CHAT_LOAD_BASE_URL and CHAT_LOAD_AGENT_ID set)',
      ],
      ['run scenarios/soak.ts --live', 'Serve a live page to watch and stop the run'],
      ['run scenarios/peak.ts --repeat 5 --label v1.4', 'Run five times, to compare with five runs of another release'],
    ],
    epilogue: `To compare two releases, chat-load ab (or chat-load nightly with --base and --head) runs both alternately, which finds a slowdown of 20 % reliably; --repeat and compare see changes from about 15 % on. Exit codes: 0 ok; 1 a gate failed or had no data, or replies broke integrity; 2 usage, or the scenario failed; ${runFailures}`,
    perform: async (args) => (await import('../perform/run.ts')).performRuns(args),
  }),
];
