import { defineScenario } from 'chat-load';
import turns from './turns.ts';

/** The turns of the bench with integrity checks off. */
export default defineScenario({ ...turns, name: 'guard-off', integrity: false });
