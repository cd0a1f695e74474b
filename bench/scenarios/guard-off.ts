import { defineScenario } from 'chat-load';
import turns from './turns.ts';

/** The same turns as ever, with no look at what the replies say. */
export default defineScenario({ ...turns, name: 'guard-off', integrity: false });
