import { z } from 'zod';
import { isIP } from 'node:net';
import { duration } from './duration.ts';
import { defaulted, option } from './option.ts';
import { readResolveEntry } from './resolve-entry.ts';

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
