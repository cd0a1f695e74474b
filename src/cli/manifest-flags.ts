import type { Argv } from 'yargs';
import { takeFlags } from './flags.ts';

/** What `fleet manifest` takes beside the scenario and its overrides. */
export interface ManifestFlags {
  shards?: number | undefined;
  image?: string | undefined;
  namespace?: string | undefined;
  name?: string | undefined;
  secret?: string | undefined;
  redis?: string | undefined;
  'scenario-from': 'configmap' | 'image';
  'results-claim'?: string | undefined;
  'target-port'?: number | undefined;
  'reply-time'?: string | undefined;
  label?: string | undefined;
}

/** A flag with a text; `otherwise` says what counts without it. */
const text = (describe: string, otherwise?: string) => ({
  type: 'string' as const,
  requiresArg: true,
  describe,
  ...(otherwise !== undefined && { defaultDescription: otherwise }),
});

/** Adds them to a command. */
export function takeManifestFlags<T>(yargs: Argv<T>): Argv<T & ManifestFlags> {
  const taken = takeFlags(yargs, 'label').options({
    shards: {
      type: 'number',
      requiresArg: true,
      describe: 'Number of workers',
      defaultDescription: 'cores that plan says the load wants, at least 2',
    },
    image: text('The image of workers and coordinator: docs/fleet/Dockerfile, or built on it', 'chat-load:VERSION'),
    namespace: text('The namespace of all resources', 'that of kubectl'),
    name: text('What names of resources, and keys in Redis, begin with', 'chat-load-SCENARIO'),
    secret: text('The Secret with api-key and redis-password, which you create', 'the name'),
    redis: text('Your own Redis or Valkey, as a URL without user and password', 'one is started'),
    'scenario-from': {
      choices: ['configmap', 'image'] as const,
      default: 'configmap' as const,
      requiresArg: true,
      describe: 'Where pods get the scenario and its data files from',
    },
    'results-claim': text('A PersistentVolumeClaim that keeps the result', 'it goes with the pod'),
    'target-port': {
      type: 'number',
      requiresArg: true,
      describe: 'Where the pods behind the target listen, if not on the port of its URL',
    },
    'reply-time': text('Assume that a reply takes this long, such as 800ms'),
  });
  return taken as unknown as Argv<T & ManifestFlags>;
}
