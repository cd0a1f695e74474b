import { command } from '../parser/command.ts';
import { text } from '../parser/rows.ts';

export const measureCommands = [
  command({
    command: 'probe [scenario]',
    describe: 'Find the maximum throughput of target and generator',
    positionals: {
      scenario: text(
        'Scenario whose sessions are sent and whose load is only assessed (--duration does not shorten a probe); default: short built-in sessions',
      ),
    },
    overrides: ({ group }) => group !== 'limits' && group !== 'output',
    options: ['probe'],
    examples: [
      ['probe', 'Probe the embedded service, in about half a minute'],
      [
        'probe --url https://a.test --agent-id NAME --allow-host a.test',
        'Probe your own service (with CHAT_LOAD_API_KEY set)',
      ],
      ['probe --url http://localhost:8000/v1 --model NAME', 'Probe a local model'],
      ['probe scenarios/peak.ts --concurrency 200', 'Check whether 200 concurrent sessions would be limited'],
      ['probe scenarios/peak.ts --step-duration 20s --max-connections 16', 'Probe a slow agent carefully'],
    ],
    epilogue:
      'Exit codes: 0 ok; 2 usage, or the scenario failed; 3 the target is unreachable or unsuitable, or the key was refused; ' +
      '4 no turn was ok; 70 a bug; 129, 130, 143 a signal.',
    perform: async (args) => (await import('../perform/probe.ts')).probe(args),
  }),
  command({
    command: 'calibrate',
    describe: 'Measure how accurately this machine measures',
    options: ['calibrate'],
    examples: [['calibrate', 'Measure the error at several loads']],
    epilogue:
      'Takes about 20 s; nothing else should run on the machine. The calibration is stored in the user’s cache folder ' +
      '(or in CHAT_LOAD_CACHE); every later result of this machine and version reports it. ' +
      'Exit codes: 0 ok; 2 usage; 3 the calibration cannot be stored; 70 a bug; 129, 130, 143 a signal.',
    perform: async (args) => (await import('../perform/calibrate.ts')).calibrate(args),
  }),
];
