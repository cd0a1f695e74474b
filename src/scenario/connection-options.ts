import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../base/errors.ts';
import { readProxyServer } from '../base/proxy-server.ts';
import { switchOption } from './closed-object.ts';
import { duration } from './duration.ts';
import { defaulted, option } from './option.ts';
import { readResolveEntry } from './resolve-entry.ts';

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

const entry = z.string().superRefine((text, context) => {
  const read = readResolveEntry(text);
  if ('problem' in read) context.addIssue({ code: 'custom', message: read.problem });
});

const never = z.custom<'off'>((value) => value === 'off' || value === '0').transform(() => false as const);
const lengthOrNever = z.union([z.literal(false), never, duration], {
  error: "expected a duration such as '30s', or 'off'",
});

/** Address resolution of the target: options of `target` itself. */
export const addressShape = {
  resolve: option(z.array(entry).min(1), {
    meaning:
      "Connect to this address instead of resolving the host (like curl's `--resolve`): `'host:port:address'`, repeated for several; IPv6 addresses in brackets.",
    limits: '`host:port:address`',
    without: 'hosts are resolved by the system',
    plan: 'resolve',
    flag: 'resolve',
    takes: 'list',
  }),
  dnsRefresh: defaulted(lengthOrNever, {
    meaning:
      "Interval at which the host of the base URL is resolved again during a run, to follow a service that moves; `'off'`: never.",
    type: "Duration | 'off' | false",
    limits: "a duration, or `'off'`",
    default: '30s',
    flag: 'dns-refresh',
  }),
};

/** The schema of `target.localAddresses`: distinct IP literals of one family. The start checks that this machine has them. */
export const localAddresses = z
  .array(z.string())
  .min(1)
  .superRefine((addresses, context) => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
    const unusable = addresses.filter((address) => isIP(address) === 0);
    const twice = addresses.filter((address, index) => addresses.indexOf(address) !== index);
    for (const address of unusable)
      refuse(`'${address}' is not an IP address: expected literals such as '127.0.0.2', not names`);
    for (const address of new Set(twice)) refuse(`'${address}' is listed twice`);
    if (unusable.length === 0 && new Set(addresses.map(isIP)).size > 1)
      refuse('IPv4 and IPv6 cannot be mixed: a target is only reachable from addresses of its own family');
  });

/** A host name, `*.` and a domain, an IPv4 literal, or an IPv6 literal, each with or without a port. */
const shape =
  /^(?:(?:\*\.)?[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$|^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;

/** The schema of `allowHosts`: hosts, not URLs, because a scheme or a path would suggest that it is checked. */
export const allowedHosts = z.array(
  z
    .string()
    .regex(
      shape,
      "expected a host such as 'api.example.com', '*.example.com' or 'api.example.com:8443', without http:// and path",
    ),
);

/** HTTP options of the target. */
export const httpShape = {
  http2: switchOption(
    'http2',
    'Use HTTP/2: negotiated in the TLS handshake for https://, with prior knowledge for http://. Without it HTTP/1.1 is used, unless the server only supports HTTP/2.',
  ),
  compression: switchOption(
    'compression',
    'Accept compressed (gzip, br) non-streamed replies and decode them; streamed replies are never compressed.',
  ),
  expectContinue: switchOption(
    'expectContinue',
    'Send `Expect: 100-continue`, and the body when the server requests it or after a second. HTTP/1.1 only.',
  ),
};
