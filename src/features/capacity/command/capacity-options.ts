import { usageError } from '../../../base/errors.ts';
import { readShare } from '../../../base/format.ts';
import { loadUnits } from '../document/step.ts';
import { describedAs, duration, output, shared, upToAnHour } from '../../../cli/parser/shared-rows.ts';
import { amount, each, inGroup, oneOf, reading, reworded, text } from '../../../cli/parser/rows.ts';

/** Flags of the command, in the order of its help page. */
export const capacityOptions = {
  label: describedAs(shared.label, 'Name this search, in the result and in its file name'),
  out: describedAs(shared.out, 'Write the result to this folder'),
  quiet: describedAs(shared.quiet, 'Print only failures, the target, the path of the result and the answer'),
  'dry-run': describedAs(shared['dry-run'], 'Check everything and print the search plan, but send nothing'),
  ...inGroup('Output:', output('chat-load/capacity')),
  ...inGroup('Search:', {
    objective: each("Condition to meet, for example 'turn.p95 < 2s' or 'turns.failedShare < 1%'; may be repeated", {
      default: [],
      defaultDescription: 'gates of the scenario',
    }),
    by: oneOf(loadUnits, 'Load to vary: concurrent sessions, or new sessions per second', {
      defaultDescription: 'load of the scenario',
    }),
    min: amount('Minimum load', { defaultDescription: '1, or 1 % of the rate that keeps one session live' }),
    max: amount('Maximum load', { defaultDescription: 'as many as sockets allow, or a rate of 100000' }),
    tolerance: reading(
      text('Maximum distance between the highest passing and the lowest failing load', { default: '15%' }),
      (given) => {
        const share = readShare(given);
        if (share !== undefined) return share;
        throw usageError(
          `--tolerance takes a percentage, such as 15%, not '${given}'.`,
          'It is the maximum distance between the highest passing and the lowest failing load.',
        );
      },
    ),
    'max-step': duration(text('Maximum duration of one step', { default: '5m' }), {
      minMs: 1000,
      maxMs: 86_400_000,
      range: 'from 1s to 24h',
      example: '5m or 30s',
    }),
    pause: duration(text('Recovery pause after an overloaded step', { default: '2s' }), {
      ...upToAnHour,
      example: '2s or 1m',
    }),
    cores: text('Run this many generator processes on this machine; auto: one per core'),
  }),
  'max-duration': reworded(
    'Maximum duration of the whole search (default: maxDuration of the scenario, otherwise 30m or 20 session lengths)',
  ),
  'max-turns': reworded(
    'Maximum number of messages of the whole search, retries included (default: maxTurns of the scenario)',
  ),
  'max-sessions': reworded('Maximum number of sessions of the whole search (default: maxSessions of the scenario)'),
  'max-cost': reworded('Stop sending when replies have cost this much in total (default: maxCost of the scenario)'),
};
