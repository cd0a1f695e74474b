import { describe, expect, test } from 'vitest';
import { startCommand } from '../support/command.ts';
import { liveAddress } from '../support/live-address.ts';
import { findLeaks, formsOf } from '../support/leaks.ts';
import { findSecret, newSecret, prepareSecret } from '../support/prepared-secret.ts';
import { secretCases } from '../support/secret-cases.ts';

/** Secrets received during a run, or outside the response head. */
const kinds = /cookie that the service sets|renewed in mid-run|OAuth|proxy of the command|passphrase/;

describe('run --live', () => {
  test.concurrent.each(secretCases.filter(({ kind }) => kinds.test(kind)))(
    'shows nothing of $kind, on its page and in its stream',
    async ({ service: wanted, ...each }) => {
      const secret = newSecret();
      let go = (): void => undefined;
      const followed = new Promise<void>((resolve) => (go = resolve));
      const service = (): object => ({ ...wanted?.(secret), until: followed });
      const prepared = await prepareSecret({ ...each, service }, secret);
      const words = ['run', ...prepared.aim, '--out', '.', '--live', '0'];
      const command = startCommand(words, { cwd: prepared.folder, env: prepared.env });
      const address = await liveAddress(command);
      const page = await (await fetch(address)).text();
      const events = await fetch(`${address}events`);
      go();
      const stream = await events.text();
      const ended = await command.ended;
      expect(stream).toContain('event: ended');
      expect(stream).toContain('bad_request');
      expect(each.came?.(prepared.service.heads, secret)).not.toBe(false);
      expect(findLeaks({ page, stream }, [secret, ...(each.also?.(secret) ?? [])].flatMap(formsOf))).toEqual([]);
      expect(await findSecret(prepared, [ended], { ...each, secret })).toEqual([]);
    },
  );
});
