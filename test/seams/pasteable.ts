import type { Setting } from './compose.ts';

/** A run of a series as a scenario file, and what happens to it. */
export function pasteable({ scenario, faults, signals, killedAfter }: Setting, run: number): string {
  const { checks, cost, ...rest } = { ...scenario, seed: (scenario.seed ?? 1) + run };
  const functions = [
    ...(checks === undefined ? [] : ["checks: { unspoilt: (reply) => reply !== 'spoilt' }"]),
    ...(cost === undefined ? [] : ['cost: (data) => Number(data.cost)']),
  ];
  const text = JSON.stringify(rest, null, 2).replace(/\n\}$/, `,\n  ${functions.join(',\n  ')}\n}`);
  const { drainAt, cutAt } = signals;
  const happens = `service: ${faults}; drain at ${String(drainAt)} ms, cut at ${String(cutAt)} ms, killed after ${String(killedAfter)} of it`;
  return `${happens}\nexport default defineScenario(${text});`;
}
