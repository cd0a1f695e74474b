import { defineScenario } from 'chat-load';
import turns from './turns.ts';

/** The turns of the bench with active integrity checks, except the checks that need a list of turns. */
export default defineScenario({ ...turns, name: 'guard-speak', integrity: true });
