import { once } from 'node:events';
import { ChatLoadError } from '../base/errors.ts';
import type { Command } from './command.ts';
import { reportError } from './report-error.ts';
import { stderr, stdout } from './terminal.ts';

interface UiArguments {
  folders: string[];
  port: number;
  host: string;
}

export const uiCommand: Command<UiArguments> = {
  builder: (yargs) =>
    yargs
      .positional('folders', {
        type: 'string',
        array: true,
        default: ['results'],
        describe: 'Folders with results; folders within them are not read',
      })
      .option('port', { type: 'number', default: 0, requiresArg: true, describe: 'The port; 0 picks a free one' })
      .option('host', { type: 'string', default: '127.0.0.1', requiresArg: true, describe: 'The address to listen on' })
      .epilogue('Reads only. Ctrl-C ends it. Exit codes: 0 ok, 2 usage, 3 the port is in use.')
      .example('$0 ui', 'The results in results/, in your browser')
      .example('$0 ui nightly results/baseline', 'Those of two folders together')
      .example('$0 ui --port 8080', 'On a port of your own'),
  handler: browse,
};

function checkPort(port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return;
  throw new ChatLoadError('usage', {
    message: `--port takes a port, not ${String(port)}.`,
    hint: 'Give a whole number up to 65535, such as 8080; 0 picks a free one.',
  });
}

/** Serves until SIGINT or SIGTERM. */
async function browse({ folders, port, host }: UiArguments): Promise<void> {
  checkPort(port);
  // Loaded here alone: no other command needs it.
  const { openUi } = await import('../app/ui/open-ui.ts');
  const ui = await openUi({ folders, port, host }, (thrown) => void reportError(thrown));
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  stdout.note(`results page ${ui.address}`);
  if (ui.isOpen) stderr.line('Whoever has this address can read the results; it is not encrypted on its way.');
  await stopped;
  ui.close();
}
