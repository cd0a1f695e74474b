import { command } from '../parser/command.ts';
import { text } from '../parser/rows.ts';

/** The scenario of a command that can do without a file. */
export const optionalScenario = {
  scenario: text('The scenario file (TypeScript or JavaScript); without one, --url names the service'),
};
const whatRunRefuses =
  '3 the target is gone or unfit, the key was refused, or a file cannot be written; 4 the run is invalid; ' +
  '70 a bug; 129, 130, 143 a signal.';

export const beginCommands = [
  command({
    command: 'init [folder]',
    describe: 'Write a scenario for your own agent, or copy a shipped one',
    positionals: { folder: text('The folder to write to; created if missing', { default: '.' }) },
    options: ['init'],
    examples: [
      ['init', 'A scenario for your own agent, in scenarios/agent.ts'],
      ['init --url http://localhost:8000/v1 --model NAME --stream', 'A scenario for a model'],
      ['init load-tests --ci github', 'In a folder of its own, with a workflow'],
      ['init --example peak', 'A copy of a shipped scenario'],
    ],
    epilogue:
      'No file is overwritten. An existing scenario (with --ci: an existing workflow) ends the command with exit code 2; ' +
      'with --ci, existing scenarios are kept.',
    perform: async (args) => (await import('../perform/init.ts')).initProject(args),
  }),
  command({
    command: 'try [scenario]',
    describe: 'Print one conversation with a service: can it be loaded?',
    positionals: {
      scenario: text(
        'A scenario whose target, first message and variable values are used; without any base URL, the embedded service',
      ),
    },
    overrides: ({ group, flag }) => group === 'target' || flag === 'timeout',
    examples: [
      ['try', 'The embedded service'],
      ['try scenarios/agent.ts', 'The target of a scenario'],
      [
        'try --url http://localhost:8000/v1 --model NAME --stream',
        'A model; --protocol names its API if it is not found',
      ],
      [
        'try --url https://a.example --allow-host a.example --agent-id NAME',
        'An agent on another machine; CHAT_LOAD_API_KEY is set',
      ],
    ],
    epilogue:
      'Sends one conversation of three turns (the first message, a code to remember, the question for it), one streamed turn more if replies are not streamed, ' +
      'and, if the first reply is not one of the protocol, at most 20 requests that generate nothing, to find the protocol. Nothing is written to a file. ' +
      'Exit codes: 0 it can be loaded; 1 it answers, but not in a way that can be loaded; 2 usage, or the scenario failed; ' +
      '3 it cannot be reached, does not answer, or refuses the key; 70 a bug; 129, 130, 143 a signal.',
    perform: async (args) => (await import('../perform/try.ts')).tryService(args),
  }),
  command({
    command: 'check [scenario]',
    describe: 'Test a service against its API description, rule by rule',
    positionals: {
      scenario: text(
        'A scenario whose target, timeouts and values are used; without any base URL, the embedded service',
      ),
    },
    // Replies are asked for both ways; with --stream, streams are required.
    overrides: ({ group }) => group === 'target',
    options: ['check'],
    examples: [
      ['check', 'The embedded service: every rule'],
      ['check --url https://a.test --agent-id NAME --allow-host a.test', 'Your own service; CHAT_LOAD_API_KEY is set'],
      ['check scenarios/peak.ts --chat-off-agent agent-chat-off', 'Sessions created as in the scenario'],
      ['check --variable customerName=Ada-7391 --junit check.xml', 'Variables too, and a file for CI'],
      ['check --only memory --only two-at-once', 'Two rules only'],
      ['check --protocol anthropic-messages', 'The embedded service by the rules of another API'],
      ['check --url http://localhost:8000/v1 --model NAME', 'A model of this machine, by the rules of its protocol'],
    ],
    epilogue:
      'Keys come from the environment: CHAT_LOAD_API_KEY, and one of the wrong type in CHAT_LOAD_WRONG_KIND_KEY. ' +
      'Exit codes: 0 every required rule that was tried is kept; 1 one is not; 2 usage; 3 the target cannot be reached, the key was refused, or a file cannot be written; ' +
      '4 no rule could be tried; 70 a bug; 129, 130, 143 a signal.',
    perform: async (args) => (await import('../perform/check.ts')).checkService(args),
  }),
  command({
    command: 'plan [scenario]',
    describe: 'Show what a run would do, without sending anything',
    positionals: optionalScenario,
    overrides: () => true,
    options: ['prompts', 'plan'],
    examples: [
      ['plan scenarios/peak.ts', 'Sessions, turns, schedule and peak concurrency'],
      ['plan scenarios/soak.ts --rate 20 --reply-time 2s', 'How many sessions would be live at 20/s?'],
    ],
    perform: async (args) => (await import('../perform/plan.ts')).planRun(args),
  }),
  command({
    command: 'run [scenario]',
    describe: 'Run a scenario and write its result',
    positionals: optionalScenario,
    overrides: () => true,
    options: ['prompts', 'metrics', 'fleet', 'run'],
    examples: [
      ['run scenarios/smoke.ts', 'Five seconds against the embedded service'],
      ['run --url http://localhost:8000/v1 --model NAME --stream', 'A minute of your model, without a file'],
      [
        'run peak.ts --base-url https://a.example --allow-host a.example',
        'Your own service; CHAT_LOAD_API_KEY and CHAT_LOAD_AGENT_ID are set',
      ],
      ['run scenarios/soak.ts --duration 1h --label nightly', 'An hour of the soak, labelled'],
      ['run scenarios/peak.ts --cores auto', 'On every core of this machine'],
      [
        'run peak.ts --fleet redis://10.0.0.5 --shards 8',
        'By eight workers; CHAT_LOAD_BASE_URL and CHAT_LOAD_AGENT_ID are set',
      ],
      ['run scenarios/soak.ts --live', 'The soak, with a page to watch and to stop it'],
      ['run scenarios/peak.ts --repeat 5 --label v1.4', 'Five runs, to compare with five of another release'],
    ],
    epilogue: `Exit codes: 0 ok; 1 a gate failed or had no data, or replies broke integrity; 2 usage, or the scenario failed; ${whatRunRefuses}`,
    perform: async (args) => (await import('../perform/run.ts')).performRuns(args),
  }),
];
