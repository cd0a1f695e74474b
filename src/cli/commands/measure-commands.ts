import { command } from '../parser/command.ts';
import { text } from '../parser/rows.ts';
import { optionalScenario } from './begin-commands.ts';

/** What the search sets itself. */
const replaced: readonly (string | undefined)[] = ['sessions', 'duration', 'concurrency', 'rate'];

export const measureCommands = [
  command({
    command: 'capacity [scenario]',
    describe: 'Find the most load under which objectives hold',
    positionals: optionalScenario,
    overrides: ({ flag }) => !replaced.includes(flag),
    options: ['prompts', 'capacity'],
    examples: [
      ["capacity peak.ts --objective 'turn.p95 < 2s'", 'The most sessions at a time; --objective may be repeated'],
      ["capacity peak.ts --by rate --objective 'effective.p95 < 3s'", 'The most sessions a second'],
      ['capacity peak.ts --dry-run', 'With the gates of the scenario: what would be searched'],
      ['capacity peak.ts --min 50 --max 400 --report capacity.html', 'From what is known, with a page'],
    ],
    epilogue:
      'Exit codes: 0 found, or all objectives hold at the highest load; 1 an objective fails at the lowest load, or the service did not recover; ' +
      '2 usage, or the scenario failed; 3 the target is gone or unfit, the key was refused, or a file cannot be written; 4 no full answer: the generator was the limit, the steps were too short, or a bound was reached; ' +
      '70 a bug; 129, 130, 143 a signal. What is known is written in any case.',
    perform: async (args) => (await import('../perform/capacity.ts')).performSearch(args),
  }),
  command({
    command: 'probe [scenario]',
    describe: 'Find the ceilings of target and generator',
    positionals: {
      scenario: text(
        'A scenario whose sessions are sent, and whose load is only judged: --duration does not shorten a probe; without one, short built-in sessions',
      ),
    },
    overrides: ({ group }) => group !== 'limits' && group !== 'output',
    options: ['probe'],
    examples: [
      ['probe', 'The embedded service, in about half a minute'],
      ['probe --url https://a.test --agent-id NAME --allow-host a.test', 'Your own service; CHAT_LOAD_API_KEY is set'],
      ['probe --url http://localhost:8000/v1 --model NAME', 'A model of this machine'],
      ['probe scenarios/peak.ts --concurrency 200', 'Would peak be limited with 200 sessions at a time?'],
      ['probe scenarios/peak.ts --step-duration 20s --max-connections 16', 'A slow agent, carefully'],
    ],
    perform: async (args) => (await import('../perform/probe.ts')).probe(args),
  }),
  command({
    command: 'calibrate',
    describe: 'Measure how far this generator reads from the truth',
    options: ['calibrate'],
    examples: [['calibrate', 'How far this generator reads from the truth, at several loads']],
    epilogue:
      'Takes about 20 s; nothing else should run on the machine. The findings are kept in the user’s cache folder ' +
      '(CHAT_LOAD_CACHE names another one), and every later result of this machine and version states them.',
    perform: async (args) => (await import('../perform/calibrate.ts')).calibrate(args),
  }),
];
