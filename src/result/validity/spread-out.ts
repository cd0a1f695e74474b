import type { Evidence } from './rule.ts';

/** What to do when the generator is the limit, without its full stop: the flags that give it more cores. */
export function spreadOut({ environment }: Pick<Evidence, 'environment'>): string {
  const shards = environment?.workers?.length ?? 1;
  if (shards > 1)
    return `Spread the run over more than ${String(shards)} shards (--cores on one machine, --fleet and --shards on several: docs/fleet.md)`;
  if (environment?.cores === 1) return 'Spread the run over several machines (--fleet, --shards: docs/fleet.md)';
  return 'Spread the run over more cores (chat-load run ... --cores 2)';
}
