import { createServer, type AddressInfo, type Socket } from 'node:net';
import { answerTo, longestRequest, wholeRequest } from './responder.ts';

/** Starts listening as soon as it is forked, reports its port, and ends with the process that started it. */
const server = createServer(serve);

process.on('SIGINT', ignore);
process.on('SIGTERM', ignore);
process.on('SIGHUP', ignore);
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

function serve(socket: Socket): void {
  let waiting = '';
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    waiting = waiting === '' ? bytes.toString('latin1') : waiting + bytes.toString('latin1');
    const request = wholeRequest(waiting);
    if (request === undefined) {
      if (waiting.length > longestRequest) socket.destroy();
      return;
    }
    waiting = '';
    socket.write(answerTo(request), 'latin1');
  });
}

function ignore(): void {
  // A signal without a listener would end the process; it ends when the generator's does.
}
