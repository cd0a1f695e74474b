import { ChatLoadError } from '../base/errors.ts';

const ofConvert = ['to', 'redact', 'dedupe', 'language', 'min-turns', 'max-turns', 'sample', 'seed'] as const;

interface PartFlags extends Readonly<Partial<Record<(typeof ofConvert)[number], unknown>>> {
  part: 'convert' | 'inspect';
  json: boolean;
}

/** Throws a usage error for a flag of the other part, which would do nothing. */
export function refuseForeignFlags(args: PartFlags): void {
  const { part, json } = args;
  const given = ofConvert.filter((flag) => args[flag] !== undefined && args[flag] !== false);
  const foreign = (part === 'inspect' ? given : json ? ['json'] : []).at(0);
  if (foreign === undefined) return;
  throw new ChatLoadError('usage', {
    message: `--${foreign} is a flag of dataset ${part === 'inspect' ? 'convert' : 'inspect'}, not of ${part}.`,
    hint: `Leave it out. See chat-load dataset --help.`,
  });
}

/** A whole number from `least` on. Throws a usage error. */
export function wholeFlag(value: number | undefined, { flag, least }: { flag: string; least: number }): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw new ChatLoadError('usage', {
    message: `${flag} takes one whole number from ${String(least)} on.`,
    hint: `Give it as ${flag} 4.`,
  });
}
