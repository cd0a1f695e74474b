import { openCalls, type Ready } from './calls.ts';
import { createWorker, type SupervisorCalls } from './worker.ts';

// The main module of one process of a service that has several. It ends when its supervisor does, however that one
// ends: node:cluster sees to that. Signals of the terminal, which reach the whole process group, are the supervisor's to obey.
process.on('SIGINT', ignore);
process.on('SIGTERM', ignore);
process.on('SIGHUP', ignore);

const channel = {
  send: (message: object): void => {
    // The supervisor may be gone already: this process is about to end then.
    process.send?.(message, () => undefined);
  },
  onMessage: (listen: (message: unknown) => void): void => void process.on('message', listen),
};

// Without one of the processes its sessions are lost: the supervisor ends the whole service.
const { call, answer } = openCalls<SupervisorCalls>(channel);
answer(createWorker(call, () => process.exit(1)));
channel.send({ kind: 'ready' } satisfies Ready);

function ignore(): void {
  // A signal without a listener would end the process.
}
