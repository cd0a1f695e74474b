/** The name by which an API of the user's own is chosen: the scenario then defines its protocol. */
export const ownApi = 'own';

/** Adds a protocol to complete to a scenario, above its comment. */
export function withOwnProtocol(scenario: string, { stream }: { stream: boolean }): string {
  return scenario.replace(
    "import { defineScenario } from 'chat-load';\n",
    () => `import { defineProtocol, defineScenario } from 'chat-load';\n\n${stream ? streamed : notStreamed}`,
  );
}

const definition = (
  replies: readonly string[],
): string => `/** Requests and replies of your API. docs/protocols.md explains every field. */
const ownApi = defineProtocol({
  name: 'own-api',
  // history: 'client', // if the API keeps no history: send \`messages\`, the conversation so far, in \`body\`
  // createSession: { path: '/sessions', body: {}, sessionId: 'id' }, // if sessions are created first
  // authorize: (apiKey) => ({ 'X-Api-Key': apiKey }), // instead of Authorization: Bearer
  message: {
    path: '/chat', // below the base URL
    body: ({ message, sessionId }) => ({ message, sessionId }), // sessionId is '' before the API has named one
  },
${replies.map((line) => `  ${line}\n`).join('')}});
`;

const notStreamed = definition([
  "reply: { text: 'reply' }, // path of the text in the JSON, such as 'choices.0.text'; sessionId: 'id' if a reply names it",
  "// stream: { format: 'sse', text: 'delta', end: '[DONE]' }, // for streamed replies, with target.stream: true",
]);

const streamed = definition([
  "stream: { format: 'sse', text: 'delta', end: '[DONE]' }, // path of the text in an event, and the last event",
  "// reply: { text: 'reply' }, // for replies that are not streamed, with target.stream: false",
]);
