import type { ReleasesOptions } from '../app/ab/compare-releases.ts';
import type { Leg } from '../app/ab/interleave.ts';
import { ChatLoadError } from '../base/errors.ts';
import type { SideName } from '../compare/document/side.ts';
import type { Settled } from '../plan/settle.ts';
import type { ComparisonArguments } from './comparison-options.ts';
import { readDurationFlag } from './read-duration-flag.ts';
import { settleScenario } from './scenario-arguments.ts';

export interface AbArguments extends ComparisonArguments {
  scenario: string;
  base: string;
  head: string;
  'agent-id'?: string | undefined;
  'base-agent-id'?: string | undefined;
  'head-agent-id'?: string | undefined;
  'base-label': string;
  'head-label': string;
  pairs: number;
  confirm: boolean;
  pause: string;
  out: string;
  quiet: boolean;
  'dry-run': boolean;
  seed?: number | undefined;
}

/** Where the keys of the two sides come from. */
export const keyNames = { base: 'CHAT_LOAD_BASE_API_KEY', head: 'CHAT_LOAD_HEAD_API_KEY' } as const;

/** How many runs, of what, and where to. Throws a usage error. */
export function readRuns(args: AbArguments): Pick<ReleasesOptions, 'pairs' | 'labels' | 'out' | 'pauseMs'> {
  const { pairs, out, pause } = args;
  requirePairs(pairs);
  const pauseMs = readDurationFlag(pause, { flag: '--pause', mostMs: 3_600_000, range: 'up to 1h', example: '10s' });
  return { pairs, labels: { base: args['base-label'], head: args['head-label'] }, out, pauseMs };
}

/** The scenario settled for a run of a side; and for the first run of each. */
interface SettledSides {
  settle: (leg: Leg) => Promise<Settled>;
  sides: Record<SideName, Settled>;
}

/** Settles the scenario for both sides: pair i has the seed of the scenario + i - 1. Throws a usage error. */
export async function settleSides(args: AbArguments): Promise<SettledSides> {
  const { plan } = await settleScenario({ ...args, ...overridesOf(args, 'base') });
  const settle = (leg: Leg): Promise<Settled> => settleSide(args, leg, plan.seed);
  return {
    settle,
    sides: { base: await settle({ pair: 1, side: 'base' }), head: await settle({ pair: 1, side: 'head' }) },
  };
}

const overridesOf = (args: AbArguments, side: SideName): Record<string, unknown> => ({
  'base-url': args[side],
  'agent-id': args[`${side}-agent-id`] ?? args['agent-id'],
  ...(args[`${side}-agent-id`] === undefined ? {} : { model: undefined }),
});

function settleSide(args: AbArguments, { pair, side }: Leg, seed: number): Promise<Settled> {
  const key = process.env[keyNames[side]];
  const environment = key === undefined ? process.env : { ...process.env, CHAT_LOAD_API_KEY: key };
  return settleScenario({ ...args, ...overridesOf(args, side), seed: seed + pair - 1 }, environment);
}

function requirePairs(pairs: number): void {
  if (Number.isInteger(pairs) && pairs >= 1 && pairs <= 1000) return;
  throw usage('--pairs takes a whole number from 1 to 1000.', 'Five pairs are a good start, ten before a release.');
}

const usage = (message: string, hint: string): ChatLoadError => new ChatLoadError('usage', { message, hint });
