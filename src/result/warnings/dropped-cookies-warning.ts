import type { Warning } from '../sections/warning.ts';

/** The warning that jars were full. */
export function droppedCookiesWarning(count: number): Warning {
  return {
    code: 'cookies_dropped',
    message: `${String(count)} ${count === 1 ? 'cookie was' : 'cookies were'} not kept: a session keeps at most 180 of them, 80 kB together.`,
    remedy: 'Look at what the service sets: a browser would drop cookies too.',
  };
}
