// Mock of model vendors by @copilotkit/aimock: Gemini, Amazon Bedrock, Azure OpenAI, and OpenAI over WebSocket. `GET /__aimock/journal` lists its requests.
import { LLMock } from '@copilotkit/aimock';

const mock = new LLMock({ port: Number(process.env.PORT), host: '127.0.0.1' });
mock.onMessage(/./, { content: 'Your order is on its way, and it arrives tomorrow.' });
await mock.start();
