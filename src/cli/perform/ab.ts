import { ChatLoadError, usageError } from '../../base/errors.ts';
import { documentText, concludeRun } from '../console/deliver.ts';
import { compareReleases, type ReleasesOptions, type Leg, type Pairs } from '../../app/ab/compare-releases.ts';
import { viewPlan } from '../../app/plan-view.ts';
import { checkSockets } from '../../app/run/check-resolved.ts';
import type { Fleet, Stops } from '../../app/run/ports.ts';
import { requireReachable } from '../../app/run/with-target.ts';
import { printable } from '../../base/printable.ts';
import { sideNames, type SideName } from '../../compare/document/side.ts';
import { prepareFolder } from '../../edge/disk/write-result.ts';
import type { ResolvedScenario } from '../../plan/resolve-scenario.ts';
import { checkShards } from '../../plan/shard.ts';
import { runLine } from '../../report/run/verdict-line.ts';
import { failedLine } from '../../report/words/last-line.ts';
import { signalExitCodes } from '../../result/exit-code.ts';
import { endWithVerdict, stderr, stdout } from '../console/terminal.ts';
import { openScreen, takeSignals } from '../console/screen.ts';
import { watchStrays } from '../console/stray-code.ts';
import type { Given } from '../parser/options.ts';
import { publishComparison, readComparison, type ComparisonOptions } from './compare.ts';
import { readFleet } from './read-fleet.ts';
import { resolveScenarioFile } from './resolve-scenario-file.ts';

type AbArguments = Given<'comparison'> &
  Given<'ab'> &
  Given<'fleet'> & { scenario: string; 'agent-id'?: string | undefined };

export async function performAb(args: AbArguments): Promise<number> {
  const options = await readComparison(args);
  await prepareFolder(args.out);
  const { resolve, sides } = await resolveSides(args);
  const screen = openScreen(args.quiet);
  const fleets = readFleets(args, sides, (text) => screen.note(text));
  if (args['dry-run']) return showPlans([sides.base, sides.head], args);
  return endWithVerdict(options.format === 'terminal', async () => {
    // Targets of remote workers are not checked from this machine.
    for (const side of sideNames)
      if (fleets[side]?.isElsewhere !== true) await requireReachable(sides[side], `the ${side}`);
    const stops = takeSignals((text) => screen.note(text));
    // The line of a run is indented, because it is not the overall verdict.
    const ended: ReleasesOptions['ended'] = (run, recorded) => {
      if (!args.quiet || recorded.stop !== undefined) stderr.line(runLine(run, recorded, stderr).replace(/^/gm, '  '));
    };
    const releases: ReleasesOptions = {
      pairs: args.pairs,
      labels: { base: args['base-label'], head: args['head-label'] },
      out: args.out,
      pauseMs: args.pause,
      resolve,
      fleets,
      ended,
      screen,
      stops,
      watchStrays,
      judging: options,
      confirm: args['confirm-regression'],
    };
    try {
      const compared = await compareReleases(releases);
      if (compared.kind === 'stopped') return reportStopped(compared.pairs, stops, options);
      for (const { file, result } of compared.violated)
        stderr.line(
          `${stderr.colors.red(`integrity ${printable(result.integrity.verdict.replace('fail', 'FAIL'))}`)} ${printable(file)}`,
        );
      return await publishComparison(compared.comparison, options);
    } finally {
      stops.release();
    }
  });
}

async function showPlans(sides: readonly ResolvedScenario[], args: AbArguments): Promise<number> {
  for (const side of sides) await checkSockets(side);
  const runs = `${String(args.pairs)} of ${args['base-label']}, ${String(args.pairs)} of ${args['head-label']}`;
  stdout.note(`${runs}, alternately. Plans of ${args['base-label']} and ${args['head-label']}:`);
  stdout.line('');
  for (const side of sides) stdout.line(`${await documentText(await viewPlan(side), 'terminal')}\n`);
  return 0;
}

function reportStopped({ stopped, base }: Pairs, stops: Stops, { format }: ComparisonOptions): number {
  const signal = stops.signal();
  const { code, line } =
    stopped === undefined
      ? { code: signalExitCodes[signal ?? 'SIGINT'], line: failedLine(`stopped by ${signal ?? 'a signal'}`) }
      : concludeRun(stopped, stops);
  stderr.line(
    `Stopped after ${String(base.length)} complete pair${base.length === 1 ? '' : 's'}; all results are kept.` +
      (base.length === 0 ? '' : ' To compare them: chat-load compare --base FILES --head FILES'),
  );
  if (format === 'terminal') stdout.note(line);
  return signal === undefined ? code : signalExitCodes[signal];
}

const keyNames = { base: 'CHAT_LOAD_BASE_API_KEY', head: 'CHAT_LOAD_HEAD_API_KEY' } as const;

/**
 * Returns a function that resolves the scenario for any run, and the scenario of the first run of each side; pair i uses the
 * seed of the scenario + i - 1. Throws a usage error.
 */
async function resolveSides(args: AbArguments) {
  const { plan } = await namingSide('base', () => resolveScenarioFile({ ...args, ...overridesOf(args, 'base') }));
  const resolve = ({ pair, side }: Leg): Promise<ResolvedScenario> => {
    const key = process.env[keyNames[side]];
    const environment = key === undefined ? process.env : { ...process.env, CHAT_LOAD_API_KEY: key };
    const overrides = { ...overridesOf(args, side), seed: plan.seed + pair - 1 };
    return namingSide(side, () => resolveScenarioFile({ ...args, ...overrides }, environment));
  };
  const [base, head] = [await resolve({ pair: 1, side: 'base' }), await resolve({ pair: 1, side: 'head' })];
  return { resolve, sides: { base, head } };
}

/** Names the flag of a side in an error about its URL. */
async function namingSide<Result>(side: SideName, resolve: () => Promise<Result>): Promise<Result> {
  try {
    return await resolve();
  } catch (thrown) {
    if (!(thrown instanceof ChatLoadError)) throw thrown;
    const [message = '', hint = ''] = [thrown.message, thrown.hint].map((text) =>
      text.replaceAll('--base-url', `--${side}`),
    );
    throw new ChatLoadError(thrown.code, { message, hint, cause: thrown });
  }
}

const overridesOf = (args: AbArguments, side: SideName): Record<string, unknown> => ({
  'base-url': args[side],
  'agent-id': args[`${side}-agent-id`] ?? args['agent-id'],
  ...(args[`${side}-agent-id`] === undefined ? {} : { model: undefined }),
});

/** Returns the fleets of both sides; local processes receive the key of their side. Throws a usage error. */
function readFleets(
  args: AbArguments,
  sides: Record<SideName, ResolvedScenario>,
  note: (text: string) => void,
): NonNullable<ReleasesOptions['fleets']> {
  const fleetOf = (side: SideName): Fleet | undefined => {
    const { plan } = sides[side];
    const key = process.env[keyNames[side]];
    const fleet = readFleet(args, { plan, note, own: key === undefined ? {} : { CHAT_LOAD_API_KEY: key } });
    if (fleet?.isElsewhere === true && key !== undefined)
      throw usageError(
        `${keyNames[side]} is set, but workers of a fleet use their own key for both releases.`,
        'Start the workers with a CHAT_LOAD_API_KEY that both releases accept, or use --cores, whose processes receive the key of each release.',
      );
    if (fleet !== undefined) checkShards(plan, fleet.count);
    return fleet;
  };
  return { base: fleetOf('base'), head: fleetOf('head') };
}
