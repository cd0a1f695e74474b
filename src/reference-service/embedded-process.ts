import { obeyGenerator } from './obey-generator.ts';
import { startService } from './start.ts';

// The main module of the embedded service in one process.
obeyGenerator((options) => startService(options, { host: '127.0.0.1', port: 0 }));
