// A streamed agent behind Express: it passes the events of the model on. Nothing here forwards the trace: see telemetry.mjs.
import express from 'express';
import OpenAI from 'openai';

const client = new OpenAI({ apiKey: process.env.OPENAI_API_KEY ?? 'none' });
const app = express();
app.use(express.json());

app.post('/v1/chat/completions', async (request, response) => {
  const { messages } = request.body;
  const events = await client.chat.completions.create({ model: 'gpt-5-mini', messages, stream: true });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for await (const event of events) response.write(`data: ${JSON.stringify({ ...event, model: 'assistant' })}\n\n`);
  response.end('data: [DONE]\n\n');
});

app.listen(Number(process.env.PORT), '127.0.0.1');
