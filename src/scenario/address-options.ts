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

/** Which addresses of the target are connected to: options of `target` itself. */
export const addressShape = {
  resolve: option(z.array(entry).min(1), {
    meaning:
      "Addresses of hosts that are not looked up, as of curl: `'host:port:address'`, several by repeating it; IPv6 addresses in brackets.",
    limits: '`host:port:address`',
    without: 'hosts are looked up',
    plan: 'resolve',
    flag: 'resolve',
    takes: 'list',
  }),
  dnsRefresh: defaulted(lengthOrNever, {
    meaning:
      "How often the host of the base URL is looked up again during a run, so that a service that moves is followed; `'off'`: never.",
    type: "Duration | 'off' | false",
    limits: "a duration, or `'off'`",
    default: '30s',
    flag: 'dns-refresh',
  }),
};

/** The schema of `target.localAddresses`: IP literals of one family, each once. Whether this machine has them is seen at the start. */
export const localAddresses = z
  .array(z.string())
  .min(1)
  .superRefine((addresses, context) => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', message });
    const unusable = addresses.filter((address) => isIP(address) === 0);
    const twice = addresses.filter((address, index) => addresses.indexOf(address) !== index);
    for (const address of unusable)
      refuse(`'${address}' is not an IP address: expected literals such as '127.0.0.2', not names`);
    for (const address of new Set(twice)) refuse(`'${address}' is given twice`);
    if (unusable.length === 0 && new Set(addresses.map(isIP)).size > 1)
      refuse('IPv4 and IPv6 cannot be mixed: a target is reached from addresses of its own family');
  });

/** A host name, `*.` and a domain, an IPv4 literal, or an IPv6 literal, each with or without a port. */
const shape =
  /^(?:(?:\*\.)?[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$|^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;

/** The schema of `allowHosts`: hosts, not URLs, since a scheme or a path would suggest that it is checked. */
export const allowedHosts = z.array(
  z
    .string()
    .regex(
      shape,
      "expected a host such as 'api.example.com', '*.example.com' or 'api.example.com:8443', without http:// and path",
    ),
);
