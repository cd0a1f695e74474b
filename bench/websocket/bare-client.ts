import { WebSocket } from 'ws';

/** Sends a message over each socket as soon as the one before is answered, and reads every frame. Arguments: port, number of sockets. */
const [port = 0, sockets = 0] = process.argv.slice(2).map(Number);

for (let index = 0; index < sockets; index++) {
  const socket = new WebSocket(`ws://127.0.0.1:${String(port)}/`, { perMessageDeflate: false });
  const send = (): void => socket.send(JSON.stringify({ type: 'message', text: `Where is order ${String(index)}?` }));
  const texts: string[] = [];
  socket.on('open', send);
  socket.on('message', (bytes: Buffer) => {
    const frame = JSON.parse(bytes.toString()) as { type: string; text?: string };
    if (frame.type === 'delta') texts.push(frame.text ?? '');
    else {
      texts.length = 0;
      send();
    }
  });
}
