import type { ComparedKind } from '../../app/compare/compared-kinds.ts';
import { command, type ListedCommand } from '../parser/command.ts';
import { text } from '../parser/rows.ts';

export function compareCommands(others: readonly ComparedKind[]): ListedCommand[] {
  return [
    command({
      command: 'compare [base-results] [head-results]',
      describe: 'Compare the results of two releases and print a verdict',
      positionals: {
        'base-results': text('Results of the baseline: a file, a folder, a quoted pattern or label:NAME'),
        'head-results': text('Results of the release to judge (head)'),
      },
      options: ['comparison', 'compare'],
      examples: [
        ['compare results/v1 results/v2', 'Compare two folders of results'],
        ['compare label:v1.4 label:v1.5', 'Compare runs in results/ by their label'],
        ['compare --base results/peak-*-a.json --head results/peak-*-b.json', 'Compare files that the shell lists'],
        ...others.map(({ example }) => example),
        ['compare results/v1 --self-test', 'Measure the false-alarm rate with ten or more runs of one build'],
        [
          'compare a.json b.json --report compare.md --report compare.xml',
          'Write a comment for a pull request and a JUnit file for CI',
        ],
      ],
      epilogue:
        'To find a slowdown of 20 % reliably, interleave the releases: chat-load ab, or chat-load nightly with --base and --head. ' +
        'Runs measured one after the other show changes from about 15 % on (18 % if more than a day apart), because machines drift; see --assume-noise. ' +
        others.map(({ rule }) => `${rule} `).join('') +
        'Exit codes: 0 no regression; 1 a regression; 2 usage; 4 the results are not comparable.',
      perform: async (args) => (await import('../perform/compare.ts')).compare(args),
    }),
    command({
      command: 'ab <scenario>',
      describe: 'Run two releases alternately and compare them in pairs',
      positionals: { scenario: text('Scenario file (TypeScript or JavaScript)', { demandOption: true }) },
      overrides: ({ flag }) => flag !== 'base-url',
      options: ['fleet', 'comparison', 'ab'],
      examples: [
        ['ab scenarios/peak.ts --base URL --head URL', 'Compare two releases with five pairs of runs'],
        [
          'ab scenarios/peak.ts --base URL --head URL --confirm-regression',
          'Confirm before a release; CHAT_LOAD_ALLOW_HOSTS lists both hosts',
        ],
        ['ab scenarios/peak.ts --base URL --head URL --cores auto', 'Use every core of this machine for each run'],
        ['ab scenarios/peak.ts --base URL --head URL --report ab.html', 'Write a page'],
      ],
      epilogue:
        'Keys are read from the environment: CHAT_LOAD_API_KEY for both releases, or CHAT_LOAD_BASE_API_KEY and CHAT_LOAD_HEAD_API_KEY. ' +
        'Exit codes: 0 no regression; 1 a regression, an inconclusive verdict with --fail-on inconclusive, or a reply of the head that broke integrity; ' +
        '2 usage, or the scenario failed; 3 a target is unreachable or unsuitable, the key was refused, or a file cannot be written; ' +
        '4 not comparable, for example because a run is invalid; 70 a bug; 129, 130, 143 a signal.',
      perform: async (args) => (await import('../perform/ab.ts')).performAb(args),
    }),
    command({
      command: 'trend [folder]',
      describe: 'Find change points in the results of many nights',
      positionals: { folder: text('Folder with the results', { default: 'results' }) },
      options: ['trend'],
      examples: [
        ['trend', 'Find changes in results/, with their dates'],
        ['trend nightly --metric turn.ok.p99 --alpha 0.005', 'Examine one metric closely'],
        ['trend nightly --fail-on regression', 'Fail a nightly job after a regression'],
        ['trend nightly --report trend.html', 'Write an HTML page'],
        ['trend nightly --history nightly/history.json', 'Store the usual noise for compare'],
      ],
      epilogue:
        'A night is a batch of runs, or a single run. A change of the scenario text, machine class or load starts a new ' +
        'series. Exit codes: 0 ok; 1 see --fail-on; 2 usage, or no results; 3 a file cannot be written.',
      perform: async (args) => (await import('../perform/compare.ts')).findChanges(args),
    }),
    command({
      command: 'nightly [scenario]',
      describe: 'Run the nightly job: load, compare, find change points',
      positionals: {
        scenario: text('Scenario file', { default: 'scenarios/nightly.ts', environment: 'SCENARIO' }),
      },
      options: ['fleet', 'nightly'],
      examples: [
        ['nightly --head embedded --runs 3', 'Try the job; the second execution compares with the first'],
        ['nightly --head https://v2.example', 'Compare with the stored baseline'],
        ['nightly --head https://v2.example --cores auto', 'Use every core of this machine for each run'],
        ['nightly --head https://v2.example --base https://v1.example', 'Run both releases alternately'],
      ],
      epilogue:
        'With --base and --head, a slowdown of 20 % is found reliably; against a stored baseline, changes from about 18 % on are seen until six nights show the usual noise. ' +
        'Keys and hosts are read from the environment as in run and ab: CHAT_LOAD_API_KEY, CHAT_LOAD_ALLOW_HOSTS. ' +
        'Exit codes: 0 no regression; 1 a regression, a gate or integrity; 2 usage, or the scenario failed; ' +
        '3 the target is unreachable or unsuitable, the key was refused, or a file cannot be written; 4 not comparable, or a run is invalid; ' +
        '70 a bug; 129, 130, 143 a signal.',
      perform: async (args) => (await import('../perform/nightly.ts')).nightly(args),
    }),
  ];
}
