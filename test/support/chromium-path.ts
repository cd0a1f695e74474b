import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The browser of this machine; `undefined`: there is none. */
export const chromiumPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => ['chromium', 'chromium-browser', 'google-chrome'].map((name) => join(folder, name)))
  .find((path) => existsSync(path));
