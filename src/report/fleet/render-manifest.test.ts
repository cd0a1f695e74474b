import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstField, readManifest } from '../../../test/support/fleet-resources.ts';
import type { FleetManifest } from './manifest.ts';
import { renderManifest } from './render-manifest.ts';

const fleet: FleetManifest = {
  toolVersion: '1.2.3',
  name: 'chat-load-x',
  namespace: undefined,
  image: 'chat-load:1.2.3',
  secret: 'chat-load-x',
  shards: 3,
  scenario: { name: 'x', path: 'scenarios/x.ts', hash: 'abc', files: undefined },
  label: undefined,
  environment: {},
  redis: undefined,
  target: { ip: undefined, host: 'agent.example', port: 443 },
  targetPort: undefined,
  resultsClaim: undefined,
  size: {
    sessionsLive: 34,
    connections: 20,
    maxConnections: 34,
    workerMiB: 257,
    coordinatorMiB: 257,
    lengthSeconds: 120,
    lengthFrom: 'scenario',
    graceSeconds: 30,
  },
};

/** The resources of a fleet, by kind and name. */
function resourcesOf(changes: Partial<FleetManifest> = {}): Record<string, unknown> {
  const read = readManifest(renderManifest({ ...fleet, ...changes }));
  return Object.fromEntries(read.map(({ kind, name, json }) => [`${kind} ${name}`, json]));
}

const workers = 'Job chat-load-x-workers';
const coordinator = 'Job chat-load-x-coordinator';
const players = 'NetworkPolicy chat-load-x-players';

describe('the jobs of a fleet', () => {
  const { [workers]: worker, [coordinator]: run } = resourcesOf();

  test('have a pod per shard, and replace none', () => {
    const { completions, parallelism, backoffLimitPerIndex, completionMode } = firstField(worker, 'spec') as never;
    expect({ completions, parallelism, backoffLimitPerIndex, completionMode }).toEqual({
      completions: 3,
      parallelism: 3,
      backoffLimitPerIndex: 0,
      completionMode: 'Indexed',
    });
    expect([firstField(run, 'backoffLimit'), firstField(run, 'completions')]).toEqual([0, undefined]);
    for (const job of [worker, run]) expect(firstField(job, 'restartPolicy')).toBe('Never');
  });

  test('do not end all workers with the first', () => expect(firstField(worker, 'backoffLimit')).toBeUndefined());

  test('end when ten minutes of waiting, the load, its grace period and five minutes are over', () => {
    for (const job of [worker, run]) expect(firstField(job, 'activeDeadlineSeconds')).toBe(600 + 120 + 30 + 300);
  });

  test('have time to drain when they are terminated', () => {
    for (const job of [worker, run]) expect(firstField(job, 'terminationGracePeriodSeconds')).toBeGreaterThan(30);
  });

  test('take the key and the password from the Secret of the user', () => {
    const at = (key: string) => ({ valueFrom: { secretKeyRef: { name: 'chat-load-x', key } } });
    for (const job of [worker, run])
      expect(firstField(job, 'env')).toEqual([
        { name: 'CHAT_LOAD_API_KEY', ...at('api-key') },
        { name: 'CHAT_LOAD_REDIS_PASSWORD', ...at('redis-password') },
      ]);
  });

  test('have the same broker, prefix and folder', () => {
    expect(firstField(worker, 'args')).toEqual(
      'worker scenarios/x.ts --redis redis://chat-load-x-redis:6379 --prefix chat-load-x --folder /load --once --wait 10m'.split(
        ' ',
      ),
    );
    expect(firstField(run, 'args')).toEqual(
      'run scenarios/x.ts --fleet redis://chat-load-x-redis:6379 --shards 3 --prefix chat-load-x --ready-timeout 10m --out /results'.split(
        ' ',
      ),
    );
  });

  test('keep the result if a claim is named', () => {
    const { [coordinator]: kept } = resourcesOf({ resultsClaim: 'nights' });
    expect(firstField(kept, 'persistentVolumeClaim')).toEqual({ claimName: 'nights' });
    expect(firstField(run, 'persistentVolumeClaim')).toBeUndefined();
  });

  test('have no Redis and no policy for it if the user has one', () => {
    const place = { ip: undefined, host: 'redis.example', port: 6380 };
    const given = resourcesOf({ redis: { url: 'rediss://redis.example:6380', place } });
    expect(Object.keys(given)).toEqual([players, workers, coordinator]);
    expect(firstField(given[workers], 'args')).toContain('rediss://redis.example:6380');
    expect(firstField(given[players], 'egress')).toContainEqual({ ports: [{ protocol: 'TCP', port: 6380 }] });
  });
});

describe('every pod of a fleet', () => {
  const pods = Object.entries(resourcesOf()).flatMap(([name, json]) => {
    const template = firstField(json, 'template');
    return template === undefined ? [] : [[name, template] as const];
  });

  test('is one of workers, coordinator and Redis', () => expect(pods.length).toBe(3));

  test.each(pods)('of %s has no rights that it does not need', (_, pod) => {
    expect(firstField(pod, 'spec')).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(firstField(pod, 'containers')).toMatchObject([
      {
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      },
    ]);
  });

  test.each(pods)('of %s requests processor time and memory, and limits both', (_, pod) => {
    const both = { cpu: expect.any(String), memory: expect.stringMatching(/^\d+Mi$/) };
    expect(firstField(pod, 'resources')).toEqual({ requests: both, limits: both });
  });
});

describe('the network of a fleet', () => {
  const { [players]: policy, 'NetworkPolicy chat-load-x-redis': redis } = resourcesOf();

  test('lets nobody reach workers and coordinator', () => {
    expect(firstField(policy, 'ingress')).toEqual([]);
    expect(firstField(policy, 'policyTypes')).toEqual(['Ingress', 'Egress']);
    expect(firstField(policy, 'values')).toEqual(['worker', 'coordinator']);
  });

  test('allows only them to reach Redis, which can reach nothing', () => {
    const from = [{ podSelector: firstField(policy, 'podSelector') }];
    expect(firstField(redis, 'ingress')).toEqual([{ from, ports: [{ protocol: 'TCP', port: 6379 }] }]);
    expect(firstField(redis, 'egress')).toEqual([]);
  });

  test.each([
    ['a name by its port', { ip: undefined, host: 'agent.example', port: 443 }, {}],
    ['an IPv4 address', { ip: 4, host: '10.1.2.3', port: 80 }, { to: [{ ipBlock: { cidr: '10.1.2.3/32' } }] }],
    ['an IPv6 address', { ip: 6, host: 'fd00::7', port: 80 }, { to: [{ ipBlock: { cidr: 'fd00::7/128' } }] }],
  ] as const)('leads to DNS, Redis and the target alone: %s', (_, target, to) => {
    const { [players]: aimed } = resourcesOf({ target });
    expect(firstField(aimed, 'egress')).toEqual([
      {
        ports: [
          { protocol: 'UDP', port: 53 },
          { protocol: 'TCP', port: 53 },
        ],
      },
      { to: [{ podSelector: firstField(redis, 'podSelector') }], ports: [{ protocol: 'TCP', port: 6379 }] },
      { ...to, ports: [{ protocol: 'TCP', port: target.port }] },
    ]);
  });

  test('leads to the pods of a Service with another port', () => {
    const { [players]: aimed } = resourcesOf({ targetPort: 8080 });
    expect((firstField(aimed, 'egress') as unknown[]).at(-1)).toEqual({ ports: [{ protocol: 'TCP', port: 8080 }] });
  });
});

describe('texts of the user in a manifest', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      'a\n---\nkind: Pod\n',
      'on',
      '1:30',
      '0x1f',
      '~',
      '2026-01-01',
      '# no comment',
      '&a',
      '"\'',
      ' ',
      '\n',
    ),
  );

  test('are read back unchanged by YAML 1.1 and 1.2, and create no resource', () => {
    fc.assert(
      fc.property(hostile, hostile, fc.constantFrom('1.1' as const, '1.2' as const), (label, value, version) => {
        const text = renderManifest({ ...fleet, label, environment: { CHAT_LOAD_AGENT_ID: value } });
        const read = readManifest(text, version);
        expect(read.map(({ kind }) => kind).toSorted()).toEqual(
          ['Deployment', 'Job', 'Job', 'NetworkPolicy', 'NetworkPolicy', 'Service'].toSorted(),
        );
        const run = read.find(({ name }) => name === 'chat-load-x-coordinator')?.json;
        expect((firstField(run, 'args') as string[]).at(-1)).toBe(label.replaceAll('$', '$$$$'));
        expect(firstField(run, 'env')).toContainEqual({
          name: 'CHAT_LOAD_AGENT_ID',
          value: value.replaceAll('$', '$$$$'),
        });
      }),
    );
  });

  test('end no comment', () => {
    const scenario = { ...fleet.scenario, path: 'a\nkind: Pod\n---\nb.ts', name: 'x\r\nkind: Pod' };
    expect(Object.keys(resourcesOf({ scenario })).length).toBe(6);
  });

  test('are not expanded by Kubernetes', () => {
    const { [coordinator]: run } = resourcesOf({ label: '$(CHAT_LOAD_API_KEY)' });
    expect(firstField(run, 'args')).toContain('$$(CHAT_LOAD_API_KEY)');
  });
});

describe('the files of a scenario', () => {
  test("equal the user's files byte for byte, each at its path", () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.constantFrom('\ufeffa,b\r\n', '\ttab', 'a \n\n', '\n', '', '---\n', 'on').map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(bytes, { minLength: 1, maxLength: 3 }), (contents) => {
        const files = contents.map((content, index) => ({ path: `data ${String(index)}/ä.csv`, content }));
        const read = resourcesOf({ scenario: { ...fleet.scenario, files } });
        const map = read['ConfigMap chat-load-x-scenario'] as Record<'data' | 'binaryData', Record<string, string>>;
        const items = firstField(read[workers], 'items') as { key: string; path: string }[];
        expect(items).toEqual(firstField(read[coordinator], 'items'));
        for (const { key } of items) expect(key).toMatch(/^[-._a-zA-Z0-9]+$/);
        const back = items.map(({ key, path }) => ({
          path,
          content: Buffer.from(map.data[key] ?? Buffer.from(map.binaryData[key] ?? '', 'base64')),
        }));
        expect(back).toEqual(files.map(({ path, content }) => ({ path, content: Buffer.from(content) })));
      }),
    );
  });
});
