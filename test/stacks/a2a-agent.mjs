// An agent by the SDK of A2A: every message is a task with one artifact, sent in parts.
import { randomUUID } from 'node:crypto';
import express from 'express';
import { TaskState } from '@a2a-js/sdk';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';

/** Contexts of the messages, in order. */
const served = [];

const part = (value) => ({ content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: '' });
const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });

const executor = {
  cancelTask: async () => {},
  execute: async ({ taskId, contextId, userMessage }, bus) => {
    served.push(contextId);
    const ids = { taskId, contextId, metadata: undefined };
    const submitted = { id: taskId, contextId, history: [userMessage], artifacts: [], metadata: undefined };
    bus.publish(AgentEvent.task({ ...submitted, status: status(TaskState.TASK_STATE_SUBMITTED) }));
    bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(TaskState.TASK_STATE_WORKING) }));
    const artifactId = randomUUID();
    const texts = ['Your order ', 'is on its way', ', and it arrives tomorrow.'];
    for (const [index, text] of texts.entries()) {
      const artifact = { artifactId, name: 'reply', description: '', parts: [part(text)], extensions: [] };
      bus.publish(
        AgentEvent.artifactUpdate({
          ...ids,
          artifact: { ...artifact, metadata: undefined },
          append: index > 0,
          lastChunk: index === texts.length - 1,
        }),
      );
    }
    bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(TaskState.TASK_STATE_COMPLETED) }));
    bus.finished();
  },
};

const url = `http://127.0.0.1:${process.env.PORT}/`;
const card = {
  name: 'orders',
  description: 'Answers questions about orders.',
  version: '1',
  capabilities: { streaming: true, pushNotifications: false, extensions: [] },
  defaultInputModes: ['text'],
  defaultOutputModes: ['text'],
  skills: [],
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
  securitySchemes: {},
  securityRequirements: [],
  signatures: [],
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);

const app = express();
app.get('/served', (_, response) => response.json(served));
app.use('/', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
app.listen(Number(process.env.PORT), '127.0.0.1');
