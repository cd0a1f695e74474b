import { afterAll } from 'vitest';
import '../../src/features.ts';
import { removeFolders } from './command.ts';

// Run before every test file, also where modules are loaded once a worker. Features are added to the core, as an entry point does.
afterAll(removeFolders);
