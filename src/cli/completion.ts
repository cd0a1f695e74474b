import yargs from 'yargs';
import type { Command } from './command.ts';

const shells = ['bash', 'zsh'] as const;

interface CompletionArguments {
  shell: (typeof shells)[number];
}

export const completionCommand: Command<CompletionArguments> = {
  builder: (yargs) =>
    yargs
      .positional('shell', {
        choices: shells,
        default: process.env['SHELL']?.endsWith('zsh') === true ? ('zsh' as const) : ('bash' as const),
        describe: 'The shell of the script',
      })
      .example('$0 completion bash >> ~/.bashrc', 'Complete commands and flags in bash')
      .example('$0 completion zsh >> ~/.zshrc', 'The same in zsh'),
  handler: ({ shell }) => {
    // The library reads the environment.
    process.env['SHELL'] = `/bin/${shell}`;
    yargs().scriptName('chat-load').completion('completion', false).showCompletionScript();
  },
};
