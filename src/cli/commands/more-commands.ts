import { command } from '../parser/command.ts';
import { list, oneOf, text } from '../parser/rows.ts';

/** Commands that few need. */
export const moreCommands = [
  command({
    command: 'calibrate [scenario]',
    describe: 'Measure what this machine can send, and a target can take',
    positionals: {
      scenario: text(
        'Scenario whose first turns are sent to its target, and whose load is only assessed; default: short built-in messages',
      ),
    },
    overrides: ({ group }) => group !== 'limits' && group !== 'output',
    options: ['calibrate'],
    examples: [
      ['calibrate', 'Measure this machine, and the embedded service, in about 40 s'],
      [
        'calibrate --url https://a.test --agent-id NAME --allow-host a.test',
        'Measure your own service (with CHAT_LOAD_API_KEY set)',
      ],
      ['calibrate --url http://localhost:8000/v1 --model NAME', 'Measure a local model'],
      ['calibrate scenarios/peak.ts --concurrency 200', 'Check whether 200 concurrent sessions would be limited'],
      ['calibrate scenarios/peak.ts --step-duration 20s', 'Measure a slow agent in longer steps'],
    ],
    epilogue:
      'Nothing else should run on the machine. Its calibration is stored in the user’s cache folder (or in CHAT_LOAD_CACHE); ' +
      'every later result of this machine and version reports it. With a target, a stored calibration is used; without ' +
      'one, or without a target, the machine is calibrated, which takes 25 s. ' +
      'Exit codes: 0 ok; 2 usage, or the scenario failed; 3 the target is unreachable or unsuitable, the key was refused, or the ' +
      'calibration cannot be stored; 4 no turn was ok; 70 a bug; 129, 130, 143 a signal.',
    perform: async (args) => (await import('../perform/calibrate.ts')).calibrate(args),
  }),
  command({
    command: 'worker <scenarios..>',
    describe: 'Run shards of distributed runs started with run --fleet',
    positionals: {
      scenarios: list('Scenario files that may be executed here, or quoted patterns', { demandOption: true }),
    },
    options: ['worker'],
    examples: [
      [
        'worker scenarios/peak.ts --redis redis://10.0.0.5:6379',
        'Start a worker; start as many workers as a run has shards',
      ],
      [
        "worker 'scenarios/*.ts' --redis rediss://redis:6380 --cores 4",
        'Run four concurrent shards, with TLS to Redis',
      ],
      [
        'worker scenarios/peak.ts --once --wait 10m',
        'Run one shard, then exit; Redis is read from CHAT_LOAD_REDIS_URL',
      ],
    ],
    epilogue:
      'Only the named files are executed, as they were when the worker started, and never one in node_modules or in a ' +
      'hidden folder. The key of the target is read from the environment of the worker (CHAT_LOAD_API_KEY). Prefer ' +
      'CHAT_LOAD_REDIS_USERNAME and CHAT_LOAD_REDIS_PASSWORD over credentials in the address of Redis. The first Ctrl-C or ' +
      'SIGTERM drains the shards, the second cuts them. Exit codes: 0 ok, also after a signal; 2 usage; 3 Redis cannot be used, no shard ' +
      'arrived within --wait, or with --once a shard was refused or failed; 70 a bug.',
    perform: async (args) => (await import('../perform/worker.ts')).work(args),
  }),
  command({
    command: 'completion [shell]',
    describe: 'Print a shell completion script',
    positionals: {
      shell: oneOf(['bash', 'zsh'], 'Shell of the script', {
        default: process.env['SHELL']?.endsWith('zsh') === true ? 'zsh' : 'bash',
        defaultDescription: 'your shell, otherwise bash',
      }),
    },
    examples: [
      ['completion bash >> ~/.bashrc', 'Complete commands and flags in bash'],
      ['completion zsh >> ~/.zshrc', 'Complete commands and flags in zsh'],
    ],
    perform: async ({ shell }) => (await import('../parser/command.ts')).printScript(shell),
  }),
];
