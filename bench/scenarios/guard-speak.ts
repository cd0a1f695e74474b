import { defineScenario } from 'chat-load';
import turns from './turns.ts';

/** The same turns as ever, with the integrity guard speaking: every check that needs no list of turns is made. */
export default defineScenario({ ...turns, name: 'guard-speak', integrity: true });
