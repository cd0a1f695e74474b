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

/** The turns of the bench with what a gateway asks for: three fields for all requests, two by session and by turn. */
export default defineScenario({ ...turns, target: { ...turns.target, ...gateway } });
