import type { Argv } from 'yargs';

/** Flags of a run without a file alone. */
export interface PromptArguments {
  'input-tokens'?: string | undefined;
  'output-tokens'?: number | undefined;
}

/** Adds those flags to a command. */
export function takePromptFlags<T>(yargs: Argv<T>): Argv<T & PromptArguments> {
  const group = 'Without a scenario file:';
  return yargs
    .option('input-tokens', {
      type: 'string',
      requiresArg: true,
      group,
      describe:
        'Length of every prompt, such as 200 or 100..500: in tokens if gpt-tokenizer is installed, else in words',
    })
    .option('output-tokens', {
      type: 'number',
      requiresArg: true,
      group,
      describe: 'Maximum tokens of a reply, in the field that the protocol has for it',
    });
}
