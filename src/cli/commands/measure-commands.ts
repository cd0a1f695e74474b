import { command } from '../parser/command.ts';
import { optionalScenario } from './begin-commands.ts';

/** Scenario overrides that the search sets itself. */
const replaced: readonly (string | undefined)[] = ['sessions', 'duration', 'concurrency', 'rate', 'warm-up'];

export const measureCommands = [
  command({
    command: 'capacity [scenario]',
    describe: 'Find the highest load that still meets your objectives',
    positionals: optionalScenario,
    overrides: ({ flag }) => !replaced.includes(flag),
    options: ['prompts', 'capacity'],
    examples: [
      [
        "capacity scenarios/peak.ts --objective 'turn.p95 < 2s'",
        'Find the maximum concurrent sessions; --objective may be repeated',
      ],
      ["capacity scenarios/peak.ts --by rate --objective 'turn.p95 < 3s'", 'Find the maximum rate of new sessions'],
      ['capacity scenarios/peak.ts --dry-run', 'Show the search plan, with the gates of the scenario as objectives'],
      ['capacity scenarios/peak.ts --min 50 --max 400 --report page.html', 'Search a known range and write a page'],
    ],
    epilogue:
      'Exit codes: 0 found, or all objectives are met at the maximum load; 1 an objective fails at the minimum load, or the service did not recover; ' +
      '2 usage, or the scenario failed; 3 the target is unreachable or unsuitable, the key was refused, or a file cannot be written; 4 incomplete: the generator was the limit, the steps were too short, or a limit was reached; ' +
      '70 a bug; 129, 130, 143 a signal. Partial results are always written.',
    perform: async (args) => (await import('../perform/capacity.ts')).performSearch(args),
  }),
];
