import { isIP } from 'node:net';
import { z } from 'zod';

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
