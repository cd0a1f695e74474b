import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../base/errors.ts';
import { readProxyServer } from '../base/proxy-server.ts';
import { option } from './option.ts';

/** The value of `target.proxy` for a direct connection, whatever the environment contains. */
export const noProxy = 'none';

/** `sun_path` on Linux without its final zero. */
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
  if (path.includes('\0')) return refuse('a path cannot contain a zero character');
  const bytes = Buffer.byteLength(path);
  if (bytes > maxSocketPathLength)
    refuse(
      `is ${String(bytes)} bytes long, but a socket path may have at most ${String(maxSocketPathLength)}: use a symbolic link`,
    );
});

/** Proxy or Unix socket on the way to the target. */
export const wayShape = {
  proxy: option(proxy, {
    meaning:
      'Proxy for all requests to the target: `http://`, `https://`, `socks5://` or `socks5h://`, with `user:password@` if it requires them. `none` ignores `HTTP_PROXY`, `HTTPS_PROXY` and `ALL_PROXY`.',
    limits: 'the URL of a proxy, or `none`',
    without: "the environment's, if any",
    flag: 'proxy',
    secret: true,
  }),
  unixSocket: option(unixSocket, {
    meaning:
      'Absolute path of the Unix socket that the target listens on; the base URL still defines `Host` and the path.',
    limits: 'an absolute path of at most 107 bytes',
    without: 'TCP',
    plan: 'unixSocket',
    flag: 'unix-socket',
  }),
};
