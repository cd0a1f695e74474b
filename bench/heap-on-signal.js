import process from 'node:process';

// Loaded before a program whose heap the bench looks at: on SIGUSR2 it collects garbage and tells what is left.
process.on('SIGUSR2', () => {
  globalThis.gc();
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`);
});
