// Prints on standard error the packages that a process has loaded, when it ends.
import Module from 'node:module';
import process from 'node:process';

process.on('exit', () => {
  const names = Object.keys(Module._cache).flatMap((path) => path.split('node_modules/').slice(1));
  const packages = new Set(names.map((path) => path.split('/')[0]));
  process.stderr.write(`packages: ${[...packages].join(' ')}\n`);
});
