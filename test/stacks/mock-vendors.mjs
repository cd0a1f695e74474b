// Mock of model vendors and agents by @copilotkit/aimock. `GET /__aimock/journal` lists its requests.
import { A2AMock, AGUIMock, LLMock } from '@copilotkit/aimock';

const reply = 'Your order is on its way, and it arrives tomorrow.';

const a2a = new A2AMock();
a2a.registerAgent({ name: 'orders' });
const artifact = { type: 'artifact', name: 'reply', parts: [{ text: reply }], lastChunk: true };
a2a.onStreamingTask('orders', /./, [
  { type: 'status', state: 'TASK_STATE_WORKING' },
  artifact,
  { type: 'status', state: 'TASK_STATE_COMPLETED' },
]);

const agUi = new AGUIMock();
agUi.onMessage(/./, reply);

const mock = new LLMock({ port: Number(process.env.PORT), host: '127.0.0.1' });
mock.onMessage(/./, { content: reply });
mock.mount('/a2a', a2a);
mock.mount('/ag-ui', agUi);
await mock.start();
