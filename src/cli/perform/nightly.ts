import { performNight } from '../../app/nightly/perform-night.ts';
import { stderr, stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';
import { usage } from '../parser/rows.ts';
import { runSelf } from './run-self.ts';

type NightlyArguments = Given<'nightly'> & Given<'fleet'> & { scenario: string };

export async function nightly({ head, base, ...night }: NightlyArguments): Promise<number> {
  if (head === undefined || head === '')
    throw usage(
      'No release to judge: HEAD_URL is not set.',
      'Set HEAD_URL or give --head URL; --head embedded loads the embedded reference service, to try the job.',
    );
  if (head === 'embedded' && base !== undefined)
    throw usage(
      'The embedded service cannot be run alternately with another release.',
      'Leave out --base (BASE_URL), or name the release to judge with --head (HEAD_URL).',
    );
  if (!Number.isInteger(night.runs) || night.runs < 1)
    throw usage('--runs (RUNS) takes a whole number of at least 1.', 'Five runs per side are a good start: --runs 5.');
  return performNight(
    { ...night, agentId: night['agent-id'], head, base, load: fleetWords(night) },
    { perform: runSelf, tell: (line) => stdout.line(line), warn: (line) => stderr.note(line) },
  );
}

/** The flags that say who plays the runs, for the commands of the night. */
const fleetWords = ({ 'ready-timeout': readyMs, ...args }: Given<'fleet'>): string[] => [
  ...(['cores', 'fleet', 'shards', 'prefix'] as const).flatMap((flag) =>
    args[flag] === undefined ? [] : [`--${flag}=${String(args[flag])}`],
  ),
  ...(readyMs === undefined ? [] : [`--ready-timeout=${String(readyMs)}ms`]),
];
