// For `node --import`: reports the peak memory on standard error when the process ends.
import { writeSync } from 'node:fs';
import process from 'node:process';

process.on('exit', () => writeSync(2, `\npeak ${process.resourceUsage().maxRSS} KiB\n`));
