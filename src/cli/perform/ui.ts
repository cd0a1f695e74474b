import { once } from 'node:events';
import { openUi } from '../../app/ui/open-ui.ts';
import { reportError, stderr, stdout } from '../console/terminal.ts';
import type { Given } from '../parser/options.ts';

export async function browse({ folders, port, host }: Given<'ui'> & { folders: string[] }): Promise<void> {
  const ui = await openUi({ folders, port, host }, (thrown) => void reportError(thrown));
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  stdout.note(`results page ${ui.address}`);
  if (ui.isOpen) stderr.line('Anyone with this address can read the results; the connection is not encrypted.');
  await stopped;
  ui.close();
}
