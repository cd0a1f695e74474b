import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../base/errors.ts';
import { readProxyServer } from '../base/proxy-server.ts';
import { option } from './option.ts';

/** What `target.proxy` says for a direct connection, whatever the environment says. */
export const noProxy = 'none';

/** `sun_path` of Linux and its final zero. */
const maxSocketPathLength = 107;

const proxy = z.string().superRefine((text, context) => {
  if (text === noProxy) return;
  try {
    readProxyServer(text);
  } catch (failed) {
    context.addIssue({ code: 'custom', message: `cannot be used: ${messageOf(failed)}` });
  }
});

const unixSocket = z.string().superRefine((path, context) => {
  const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
  if (!isAbsolute(path)) return refuse("expected the absolute path of a socket, such as '/run/agent.sock'");
  if (path.includes('\0')) return refuse('a path holds no zero character');
  const bytes = Buffer.byteLength(path);
  if (bytes > maxSocketPathLength)
    refuse(
      `is ${String(bytes)} bytes long, and the path of a socket has at most ${String(maxSocketPathLength)}: link it`,
    );
});

/** The way that connections take to the target. */
export const wayShape = {
  proxy: option(proxy, {
    meaning:
      'The proxy that requests go through: `http://`, `https://`, `socks5://` or `socks5h://`, with `user:password@` where it asks for them. `none`: not even that of `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY`.',
    limits: 'the URL of a proxy, or `none`',
    without: 'that of the environment, if any',
    flag: 'proxy',
    secret: true,
  }),
  unixSocket: option(unixSocket, {
    meaning:
      'The absolute path of the Unix socket that the target listens on; the base URL still gives `Host` and the path.',
    limits: 'an absolute path of at most 107 bytes',
    without: 'TCP',
    plan: 'unixSocket',
    flag: 'unix-socket',
  }),
};
