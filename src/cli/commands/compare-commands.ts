import { command } from '../parser/command.ts';
import { text } from '../parser/rows.ts';

export const compareCommands = [
  command({
    command: 'compare [base-results] [head-results]',
    describe: 'Is this release slower than the last? A verdict',
    positionals: {
      'base-results': text('Results of the baseline release: a file, a folder, a quoted pattern, or label:NAME'),
      'head-results': text('Results of the release to judge'),
    },
    options: ['comparison', 'compare'],
    examples: [
      ['compare results/v1 results/v2', 'Two folders of results'],
      ['compare label:v1.4 label:v1.5', 'By the label of the runs, in results/'],
      ['compare --base results/peak-*-a.json --head results/peak-*-b.json', 'Files, as the shell lists them'],
      ['compare peak-capacity-v1.json peak-capacity-v2.json', 'Two capacities: do they lie apart?'],
      ['compare results/v1 --self-test', 'Ten runs of one build: are five per cent of alarms false here?'],
      ['compare a.json b.json --markdown report.md --junit compare.xml', 'For a pull request and for CI'],
    ],
    epilogue:
      'Five runs per side, interleaved in one sitting, show most: chat-load ab runs them. ' +
      'Of capacities, a change is shown where the intervals lie apart. ' +
      'Exit codes: 0 no regression, 1 a regression, 2 usage, 4 the results cannot be compared.',
    perform: async (args) => (await import('../perform/compare.ts')).compare(args),
  }),
  command({
    command: 'ab <scenario>',
    describe: 'Run two releases alternately, and compare them in pairs',
    positionals: { scenario: text('The scenario file (TypeScript or JavaScript)', { demandOption: true }) },
    overrides: ({ flag }) => flag !== 'base-url',
    options: ['fleet', 'comparison', 'ab'],
    examples: [
      ['ab peak.ts --base http://localhost:80 --head http://localhost:81', 'Five pairs'],
      [
        'ab peak.ts --base https://a.test --head https://b.test --confirm',
        'Before a release; CHAT_LOAD_ALLOW_HOSTS names both hosts',
      ],
      ['ab peak.ts --base URL --head URL --cores auto', 'Every run on every core of this machine'],
      ['ab peak.ts --base URL --head URL --markdown ab.md --junit ab.xml', 'In a nightly job'],
    ],
    epilogue:
      'Keys come from the environment: CHAT_LOAD_API_KEY for both, or CHAT_LOAD_BASE_API_KEY and CHAT_LOAD_HEAD_API_KEY. ' +
      'Exit codes: 0 no regression; 1 a regression, with --fail-on inconclusive also nothing shown, or a reply of the head that broke integrity; ' +
      '2 usage, or the scenario failed; 3 a target is gone or unfit, the key was refused, or a file cannot be written; ' +
      '4 not comparable, as with a run that is not valid; 70 a bug; 129, 130, 143 a signal.',
    perform: async (args) => (await import('../perform/ab.ts')).performAb(args),
  }),
  command({
    command: 'trend [folder]',
    describe: 'Find when a metric changed, in the results of many nights',
    positionals: { folder: text('The folder with the results', { default: 'results' }) },
    options: ['trend'],
    examples: [
      ['trend', 'What changed in results/, and since when'],
      ['trend nightly --metric turn.ok.p99 --alpha 0.005', 'One metric, examined closely'],
      ['trend nightly --fail-on regression', 'For a nightly job'],
      ['trend nightly --format markdown', 'For a page'],
      ['trend nightly --history nightly/history.json', 'Keep the usual noise for compare'],
    ],
    epilogue:
      'A night is a sitting; so is a single run. A change of the scenario text, machine class or load starts a new ' +
      'series. Exit codes: 0 ok, 1 by --fail-on, 2 usage or no results, 3 the history cannot be written.',
    perform: async (args) => (await import('../perform/compare.ts')).findChanges(args),
  }),
  command({
    command: 'nightly [scenario]',
    describe: 'The nightly job: run, compare, look for change points',
    positionals: {
      scenario: text('The scenario file [SCENARIO]', { default: 'scenarios/nightly.ts', environment: 'SCENARIO' }),
    },
    options: ['fleet', 'nightly'],
    examples: [
      ['nightly --head embedded --runs 3', 'Try the job; a second time compares with the first'],
      ['nightly --head https://v2.example', 'Against the kept baseline'],
      ['nightly --head https://v2.example --cores auto', 'Every run on every core of this machine'],
      ['nightly --head https://v2.example --base https://v1.example', 'Both releases, alternately'],
    ],
    epilogue:
      'Keys and hosts come from the environment as for run and ab: CHAT_LOAD_API_KEY, CHAT_LOAD_ALLOW_HOSTS. ' +
      'Exit codes: 0 no regression; 1 a regression, a gate or integrity; 2 usage, or the scenario failed; ' +
      '3 the target is gone or unfit, the key was refused, or a file cannot be written; 4 not comparable, or a run is invalid; ' +
      '70 a bug; 129, 130, 143 a signal.',
    perform: async (args) => (await import('../perform/nightly.ts')).nightly(args),
  }),
];
