import process from 'node:process';

// Preloaded into a measured program: on SIGUSR2 it collects garbage and reports the heap size.
process.on('SIGUSR2', () => {
  globalThis.gc();
  process.stderr.write(`heap ${process.memoryUsage().heapUsed}\n`);
});
