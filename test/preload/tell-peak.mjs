// For `node --import`: tells on standard error, when the process ends, the most memory that it ever held.
import { writeSync } from 'node:fs';
import process from 'node:process';

process.on('exit', () => writeSync(2, `\npeak ${process.resourceUsage().maxRSS} KiB\n`));
