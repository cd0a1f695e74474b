import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

/** Answers each message over WebSocket by ten frames at once. Prints its port; `GET /` returns the number of turns as JSON. */
const contents = Array.from({ length: 9 }, (_, index) =>
  JSON.stringify({ type: 'delta', text: `word${String(index)} ` }),
);
let turns = 0;

const server = createServer((_, response) => response.end(JSON.stringify({ turns })));
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
sockets.on('connection', (socket) => {
  socket.on('message', () => {
    turns++;
    for (const content of contents) socket.send(content);
    socket.send('{"type":"done"}');
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${String((server.address() as AddressInfo).port)}\n`));
