import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** A server under attack. */
export interface Attacked {
  port: number;
  isTls?: boolean;
  /** A path at which the server answers, so that an attack passes its guard. */
  path: string;
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Requests that no browser and no client sends, by name. `PATH` and `PORT` are replaced by the server's own. */
const hostileRequests: Readonly<Record<string, string>> = {
  'an empty authority': 'GET // HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
  'a scheme alone': 'GET http:// HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
  'an asterisk': 'GET * HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
  'OPTIONS for all': 'OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
  'half an escape': 'GET % HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
  'half an escape in a path': 'GET PATH%E0%A4%A?%=%&q=%zz HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
  'a way up': 'GET /..%2f..%2fetc/passwd HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
  'a way up, plain': 'GET PATH../../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
  'a path of 1 MB': `GET /${'a'.repeat(1024 * 1024)} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n`,
  'a port that is none': 'GET http://127.0.0.1:99999/metrics HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
  'an address with brackets open': 'GET http://[::1/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
  CONNECT: 'CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n',
  'CONNECT to nothing': 'CONNECT // HTTP/1.1\r\nHost: x\r\n\r\n',
  Upgrade:
    'GET PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n',
  'Upgrade to HTTP/2':
    'GET PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n',
  'HTTP/2 without being asked': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'HTTP/0.9': 'GET PATH\r\n',
  'HTTP/1.0 without Host': 'GET PATH HTTP/1.0\r\n\r\n',
  'no Host': 'GET PATH HTTP/1.1\r\n\r\n',
  'an empty Host': 'GET PATH HTTP/1.1\r\nHost:\r\n\r\n',
  'two Hosts': 'GET PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: evil.example\r\n\r\n',
  'a Host that is no name': 'GET PATH HTTP/1.1\r\nHost: [::%\r\n\r\n',
  'headers of 1 MB': `GET PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nX: ${'x'.repeat(1024 * 1024)}\r\n\r\n`,
  '20,000 headers': `GET PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n${'X: y\r\n'.repeat(20_000)}\r\n`,
  'another method': 'BREW PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
  'two lengths': 'POST PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',
  'a length and chunks':
    'POST PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabcd',
  'a length below zero': 'POST PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: -1\r\n\r\n',
  'a chunk of 2^64 bytes':
    'POST PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n',
  'a body nobody asked for': `POST PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1_000_000)}`,
  'a body nested deeply': `POST PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: application/json\r\nContent-Length: 400000\r\n\r\n${deep(200_000)}`,
  'an expectation': 'POST PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nExpect: a miracle\r\nContent-Length: 1\r\n\r\nx',
  'a thousand requests at once': 'GET PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n'.repeat(1000),
  'requests for nothing, a thousand at once': 'GET // HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n'.repeat(1000),
  'bytes that are no text': Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256)).toString('latin1'),
  'TLS in the clear': '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  nothing: '',
};

/** Sends a text and resolves with everything received when the server has closed the connection. */
export function sendRaw(to: Pick<Attacked, 'port' | 'isTls'>, text: string): Promise<string> {
  return exchange(to, (socket) => socket.write(text, 'latin1'));
}

async function exchange(
  { port, isTls = false }: Pick<Attacked, 'port' | 'isTls'>,
  send: (socket: Socket) => unknown,
): Promise<string> {
  const socket = isTls
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('latin1').on('data', (part: string) => (answer += part));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  send(socket);
  await closed;
  return answer;
}

const filled = (text: string, { port, path }: Attacked): string =>
  text.replaceAll('PATH', path).replaceAll('PORT', String(port));

/** Sends every hostile request, each on a separate connection whose sending side ends with it. */
export async function attack(attacked: Attacked): Promise<void> {
  for (const text of Object.values(hostileRequests))
    await exchange(attacked, (socket) => socket.end(filled(text, attacked), 'latin1'));
}

/** Connects and resets at once, before, within and after a request, without waiting for answers. */
export async function resetAbruptly(attacked: Attacked, times: number): Promise<void> {
  const whole = filled('GET PATH HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n', attacked);
  for (let each = 0; each < times; each++) {
    const socket = connect(attacked.port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const part = whole.slice(0, each % (whole.length + 1));
    if (part === '') socket.resetAndDestroy();
    else socket.write(part, () => socket.resetAndDestroy());
    await closed;
  }
}

/** Opens connections without a request, or with an incomplete one; the returned function closes them. */
export async function floodHalfOpen({ port }: Attacked, count: number): Promise<() => void> {
  const sockets: Socket[] = [];
  for (let each = 0; each < count; each++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    if (each % 2 === 0) socket.write('GET / HTTP/1.1\r\nX-Slow: ');
  }
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

/** Number of sockets that a process has open, or `undefined` if the system does not show it. */
export function openDescriptors(pid: number | undefined): number | undefined {
  try {
    return readdirSync(`/proc/${String(pid)}/fd`).length;
  } catch {
    return undefined;
  }
}

/** Resident memory of a process in megabytes, or `undefined` if the system does not show it. */
export function residentMb(pid: number | undefined): number | undefined {
  try {
    const [, kb] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) ?? [];
    return kb === undefined ? undefined : Number(kb) / 1024;
  } catch {
    return undefined;
  }
}
