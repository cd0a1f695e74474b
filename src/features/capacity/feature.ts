import { listedKind } from '../../report/page/list/listed-kinds.ts';
import { optionalScenario } from '../../cli/parser/rows.ts';
import type { Feature } from '../../feature.ts';

/** Scenario overrides that the search sets itself. */
const replaced: readonly (string | undefined)[] = ['sessions', 'duration', 'concurrency', 'rate', 'warm-up'];

/** Search for the highest load that meets objectives, its document, and the comparison of two such documents. */
export const capacity: Feature = {
  name: 'capacity',
  commands: (command) => [
    {
      group: 'Measure',
      example: [
        "capacity scenarios/peak.ts --objective 'turn.p95 < 2s'",
        'Find the highest load that meets an objective',
      ],
      command: command({
        command: 'capacity [scenario]',
        describe: 'Find the highest load that still meets your objectives',
        positionals: optionalScenario,
        overrides: ({ flag }) => !replaced.includes(flag),
        options: ['prompts'],
        own: async () => (await import('./command/capacity-options.ts')).capacityOptions,
        examples: [
          [
            "capacity scenarios/peak.ts --objective 'turn.p95 < 2s'",
            'Find the maximum concurrent sessions; --objective may be repeated',
          ],
          ["capacity scenarios/peak.ts --by rate --objective 'turn.p95 < 3s'", 'Find the maximum rate of new sessions'],
          [
            'capacity scenarios/peak.ts --dry-run',
            'Show the search plan, with the gates of the scenario as objectives',
          ],
          ['capacity scenarios/peak.ts --min 50 --max 400 --report page.html', 'Search a known range and write a page'],
        ],
        epilogue:
          'Exit codes: 0 found, or all objectives are met at the maximum load; 1 an objective fails at the minimum load, or the service did not recover; ' +
          '2 usage, or the scenario failed; 3 the target is unreachable or unsuitable, the key was refused, or a file cannot be written; 4 incomplete: the generator was the limit, the steps were too short, or a limit was reached; ' +
          '70 a bug; 129, 130, 143 a signal. Partial results are always written.',
        perform: async (args) => (await import('./command/perform-search.ts')).performSearch(args),
      }),
    },
  ],
  purposes: { highest_load: 'chat-load capacity' },
  documents: {
    'chat-load/capacity': {
      schema: async () => (await import('./document/capacity.ts')).capacitySchema,
      report: async () => (await import('./report/capacity-outline.ts')).capacityReport,
      also: ['html', 'markdown', 'junit', 'csv'],
      after: 'chat-load/calibration',
      writer: '`capacity`, to a file',
      isPublished: true,
    },
    'chat-load/capacity-comparison': {
      schema: async () => (await import('./compare/capacity-comparison.ts')).capacityComparisonSchema,
      report: async () => (await import('./report/capacity-comparison-outline.ts')).capacityComparisonReport,
      also: ['html', 'markdown', 'junit'],
      writer: '`compare --json` of capacities',
      isPublished: true,
    },
  },
  compared: [
    {
      kind: 'chat-load/capacity',
      singular: 'capacity',
      plural: 'capacities',
      example: ['compare peak-capacity-v1.json peak-capacity-v2.json', 'Compare two capacities'],
      rule: 'Two capacities differ if their intervals do not overlap.',
      load: async () => (await import('./run/compare-sides.ts')).comparing,
    },
  ],
  listed: [
    listedKind({
      kind: 'chat-load/capacity',
      name: 'capacity',
      singular: 'capacity search',
      plural: 'capacity searches',
      suffix: ': capacity',
      load: async () => (await import('./report/capacity-rows.ts')).searchRows,
    }),
    listedKind({
      kind: 'chat-load/capacity-comparison',
      name: 'comparison',
      singular: 'capacity comparison',
      plural: 'capacity comparisons',
      suffix: ': capacities compared',
      load: async () => (await import('./report/capacity-rows.ts')).comparisonRows,
    }),
  ],
};
