import type { startCommand } from './command.ts';

/** The address of the live page, as soon as a command has noted it. */
export async function liveAddress({ child }: Pick<ReturnType<typeof startCommand>, 'child'>): Promise<string> {
  let said = '';
  for await (const text of child.stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    said += String(text);
    const found = /live page (\S+)/.exec(said)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`there is no address in: ${said}`);
}
