import { ChatLoadError } from '../base/errors.ts';
import type { Ms } from '../base/time.ts';
import { readDuration, unitHint } from '../scenario/duration.ts';

/** The flag of a command that takes a length of time: its name, and what is allowed. */
interface DurationFlag {
  flag: string;
  leastMs?: number;
  mostMs?: number;
  /** Its bounds in words. */
  range?: string;
  /** What to write. */
  example: string;
}

/** Reads such a flag; throws a usage error when it holds no duration, or one out of its bounds. */
export function readDurationFlag(text: string, { flag, range, example, ...bounds }: DurationFlag): Ms {
  const read = readDuration(text);
  const { leastMs = 0, mostMs = Infinity } = bounds;
  if (read !== undefined && read >= leastMs && read <= mostMs) return read;
  throw new ChatLoadError('usage', {
    message: `${flag} takes a duration${range === undefined ? '' : ` ${range}`}, not '${text}'${unitHint(text)}.`,
    hint: `Give one such as ${example}.`,
  });
}
