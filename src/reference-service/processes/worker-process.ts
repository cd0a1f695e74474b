import { openCalls, parentChannel, type Ready } from '../calls.ts';
import { createWorker, type SupervisorCalls } from './worker.ts';

// The main module of one process of a service that has several. It ends when its supervisor does, however that one
// ends: node:cluster sees to that.
const channel = parentChannel();

// Without one of the processes its sessions are lost: the supervisor ends the whole service.
const { call, answer } = openCalls<SupervisorCalls>(channel);
answer(createWorker(call, () => process.exit(1)));
channel.send({ kind: 'ready' } satisfies Ready);
