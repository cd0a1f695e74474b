import { afterAll } from 'vitest';
import { removeFolders } from './command.ts';

// Run before every test file, also where modules are loaded once a worker.
afterAll(removeFolders);
