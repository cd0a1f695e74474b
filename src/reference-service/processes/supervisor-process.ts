import { messageOf } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import { obeyGenerator } from '../obey-generator.ts';
import { startProcesses } from './start-processes.ts';

// The main module of the embedded service in several processes: this one supervises them, and ends with any of them.
obeyGenerator(async (options, cores) => {
  const service = await startProcesses(options, { host: '127.0.0.1', port: 0 }, cores);
  service.failed.catch((failed: unknown) => {
    process.stderr.write(`${printable(messageOf(failed))}\n`);
    process.exit(1);
  });
  return service;
});
