import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { endWith, newToken, openGuarded } from './open-guarded.ts';

test('connections without a request, or with a request for a missing page, lock nobody out', async () => {
  const token = newToken();
  const { server, port } = await openGuarded({ host: '127.0.0.1', port: 0, token }, ({ response }) => {
    endWith(response, 200, 'here');
    return true;
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  for (let each = 0; each < 250; each++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    // Half of them begin a request and never complete it.
    if (each % 2 === 0) socket.write('GET / HTTP/1.1\r\n');
  }
  const refused = await fetch(`http://127.0.0.1:${String(port)}/elsewhere/`);
  expect([refused.status, refused.headers.get('connection')]).toEqual([404, 'close']);
  const response = await fetch(`http://127.0.0.1:${String(port)}/${token}/`);
  expect([response.status, await response.text()]).toEqual([200, 'here']);
});
