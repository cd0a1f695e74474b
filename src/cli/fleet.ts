import type { FleetRequest } from '../app/fleet/fleet-manifest.ts';
import { ChatLoadError } from '../base/errors.ts';
import { valueAt } from '../base/value-at.ts';
import { isDnsLabel, longestLabel } from '../plan/dns-label.ts';
import type { Command } from './command.ts';
import { takeManifestFlags, type ManifestFlags } from './manifest-flags.ts';
import { readDurationFlag } from './read-duration-flag.ts';
import { takeScenario } from './scenario-flags.ts';
import { keepSecret, shownText, stdout } from './terminal.ts';

interface FleetArguments extends ManifestFlags {
  part: 'manifest';
  scenario: string;
}

export const fleetCommand: Command<FleetArguments> = {
  builder: (yargs) =>
    takeManifestFlags(takeScenario(yargs.positional('part', part)))
      .example(
        '$0 fleet manifest scenarios/peak.ts --shards 4 > peak.yaml',
        'For kubectl apply; CHAT_LOAD_BASE_URL and CHAT_LOAD_AGENT_ID are set',
      )
      .example('$0 fleet manifest scenarios/peak.ts --shards 40 --namespace load', 'In a namespace')
      .epilogue(
        'The target is not the embedded service, which workers on other machines cannot reach. docs/fleet.md explains where a fleet runs, and what it is made of.',
      ),
  handler: async (args) => {
    const request = readRequest(args);
    const { importScenario } = await import('../edge/disk/scenario/load-scenario.ts');
    const { settleScenario } = await import('./scenario-arguments.ts');
    const { fleetManifest } = await import('../app/fleet/fleet-manifest.ts');
    const { renderManifest } = await import('../report/fleet/render-manifest.ts');
    const author = await importScenario(args.scenario);
    const settled = await settleScenario({ ...args }, withKey(valueAt(author, ['target', 'apiKey'])));
    print(renderManifest(await fleetManifest(settled, author, request)));
  },
};

const part = {
  choices: ['manifest'] as const,
  demandOption: true as const,
  describe: 'manifest: print the resources of Kubernetes that play a scenario, as YAML',
};

function readRequest(args: FleetArguments): FleetRequest {
  const { shards, image, namespace, name, secret, redis, label, 'target-port': targetPort } = args;
  if (shards !== undefined) requireWhole(shards, { flag: '--shards', most: mostShards });
  if (targetPort !== undefined) requireWhole(targetPort, { flag: '--target-port', most: 65_535 });
  for (const flag of ['namespace', 'name', 'secret', 'results-claim'] as const) requireLabel(flag, args[flag]);
  if (image !== undefined && !/^[a-z0-9][-\w./:@]*$/i.test(image)) throw noImage(image);
  return {
    shards,
    image,
    namespace,
    name,
    secret,
    redis,
    label,
    targetPort,
    file: args.scenario,
    folder: process.cwd(),
    scenarioFrom: args['scenario-from'],
    resultsClaim: args['results-claim'],
    replyMs:
      args['reply-time'] === undefined
        ? undefined
        : readDurationFlag(args['reply-time'], { flag: '--reply-time', example: '800ms or 2s' }),
  };
}

const mostShards = 10_000;

function requireWhole(value: number, { flag, most }: { flag: string; most: number }): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  throw new ChatLoadError('usage', {
    message: `${flag} takes a whole number from 1 to ${String(most)}.`,
    hint: `Give it as ${flag} 4.`,
  });
}

function requireLabel(flag: string, value: string | undefined): void {
  if (value === undefined || isDnsLabel(value)) return;
  throw new ChatLoadError('usage', {
    message: `--${flag} takes a name of small letters, digits and hyphens that begins with a letter, of ${String(longestLabel)} characters at most.`,
    hint: `Give one such as --${flag} load-tests.`,
  });
}

const noImage = (image: string): ChatLoadError =>
  new ChatLoadError('usage', {
    message: `--image takes the name of an image, not '${image}'.`,
    hint: 'Give one such as --image registry.example.com/chat-load:1.2.',
  });

/** A manifest takes no key, but a scenario is not settled without one: any will do. One in the file is kept out of the output. */
function withKey(own: unknown): NodeJS.ProcessEnv {
  const inFile = typeof own === 'string' ? own : '';
  keepSecret(inFile);
  return { ...process.env, CHAT_LOAD_API_KEY: process.env['CHAT_LOAD_API_KEY'] || inFile || 'unused' };
}

/** Prints a manifest as it is or not at all: what is redacted or replaced in it would change the scenario. */
function print(manifest: string): void {
  if (shownText(manifest, false) === manifest) {
    stdout.line(manifest);
    return;
  }
  throw new ChatLoadError('usage', {
    message: 'The manifest would hold a key, or a character that is not for printing; nothing was printed.',
    hint: 'Keep keys in the environment (CHAT_LOAD_API_KEY), not in the scenario file or its data; remove control characters from overrides and labels.',
  });
}
