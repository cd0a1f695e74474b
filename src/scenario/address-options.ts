import { z } from 'zod';
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
