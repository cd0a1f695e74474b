import { defineScenario } from 'chat-load';
import turns from './turns.ts';

const gateway: object = {
  headers: {
    'X-Tenant': 'acme',
    'X-Channel': 'load',
    'X-Flags': 'new-router',
    'X-Session': 's-{{session.number}}',
    'X-Turn': '{{turn.number}}',
  },
};

/** The turns of the bench with gateway headers: three constant, one per session, one per turn. */
export default defineScenario({ ...turns, target: { ...turns.target, ...gateway } });
