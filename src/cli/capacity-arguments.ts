import { ChatLoadError } from '../base/errors.ts';
import type { LoadUnit } from '../capacity/document/step.ts';
import type { SearchRequest } from '../app/capacity/settle-search.ts';
import type { Format } from '../report/formats.ts';
import type { PromptArguments } from './prompt-flags.ts';
import { readDurationFlag } from './read-duration-flag.ts';

export interface CapacityArguments extends PromptArguments {
  scenario?: string | undefined;
  objective: string[];
  by?: LoadUnit | undefined;
  least?: number | undefined;
  most?: number | undefined;
  width: string;
  'max-step': string;
  pause: string;
  cores?: string | undefined;
  label: string | undefined;
  out: string;
  quiet: boolean;
  json: boolean;
  format?: Format | undefined;
  report: string[];
  'dry-run': boolean;
}

/** Reads what is searched. Throws a usage error for a flag that cannot be used. */
export function readRequest(args: CapacityArguments): SearchRequest {
  const { objective: objectives, by, least, most } = args;
  return {
    objectives,
    by,
    least,
    most,
    width: readWidth(args.width),
    maxStepMs: readDurationFlag(args['max-step'], {
      flag: '--max-step',
      leastMs: 1000,
      mostMs: 86_400_000,
      range: 'from 1s to 24h',
      example: '5m or 30s',
    }),
    restMs: readDurationFlag(args.pause, {
      flag: '--pause',
      mostMs: 3_600_000,
      range: 'up to 1h',
      example: '2s or 1m',
    }),
  };
}

function readWidth(text: string): number {
  const share = Number(/^(\d+(?:\.\d+)?)\s*%$/.exec(text)?.[1] ?? NaN) / 100;
  if (share > 0) return share;
  throw new ChatLoadError('usage', {
    message: `--width takes a percentage, such as 15%, not '${text}'.`,
    hint: 'It is how far apart the two ends of the answer may be.',
  });
}
