import { jsonResponse, type Recipe } from './recipe.ts';

export const rasa: Recipe = {
  name: 'rasa',
  title: 'Rasa',
  docs: 'https://rasa.com/docs/rasa/connectors/your-own-website/#restinput',
  text: 'The REST channel. `sender` is the session, which the client chooses. A reply is a list of bubbles: their texts are joined by line breaks, buttons and images are ignored. A bot without an answer returns an empty list, which is a reply without text.',
  curl: `curl http://localhost:5005/webhooks/rest/webhook -H 'Content-Type: application/json' \\
  -d '{"sender": "user-1", "message": "Where is my order?"}'`,
  definition: (body) => `defineProtocol({
  name: 'rasa',
  sessionId: '{{uuid}}',
  message: {
    path: '/webhooks/rest/webhook',
    body: ${body},
  },
  reply: {
    text: (bubbles: { text?: string }[]) => bubbles.flatMap(({ text }) => text ?? []).join('\\n'),
  },
})`,
  message: { paths: ['/webhooks/rest/webhook'], keys: ['message'] },
  computed: { sender: 'sessionId', message: 'message' },
  messageAt: 'message',
  streams: () => false,
  expected: 'It is on its way.\nAnything else?',
  whole: {
    reply: jsonResponse([
      { recipient_id: 'user-1', text: 'It is on its way.' },
      { recipient_id: 'user-1', image: 'https://example.com/parcel.png' },
      { recipient_id: 'user-1', text: 'Anything else?', buttons: [{ title: 'Yes', payload: '/affirm' }] },
    ]),
    error: {
      ...jsonResponse({ version: '3.6.0', status: 'failure', message: 'Conversation is locked.', code: 500 }, 500),
      outcome: 'server_error',
    },
  },
};
