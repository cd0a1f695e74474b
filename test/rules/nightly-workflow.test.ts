import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { performCommand } from '../support/command-in-process.ts';
import { makeFolder, root } from '../support/command.ts';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}

interface Workflow {
  permissions?: unknown;
  env?: Record<string, string>;
  jobs: Record<string, { permissions?: unknown; env?: Record<string, string>; steps: Step[] }>;
}

let shipped = '';
let written = '';
let workflow: Workflow;

beforeAll(async () => {
  shipped = await readFile(join(root, 'docs/nightly/github-actions.yml'), 'utf8');
  const folder = await makeFolder();
  await performCommand(['init', '--ci', 'github'], {}, folder);
  written = await readFile(join(folder, '.github/workflows/performance.yml'), 'utf8');
  workflow = parse(written) as Workflow;
});

const steps = (): Step[] => Object.values(workflow.jobs).flatMap((job) => job.steps);
const isSecret = (value: unknown): boolean => /\bsecrets\b/.test(JSON.stringify(value ?? null));

describe('the nightly workflow', () => {
  test('equals the shipped file', () => {
    expect(written).toBe(shipped);
  });

  test('passes the key to the step that runs chat-load, and to no other', () => {
    expect([workflow.env, ...Object.values(workflow.jobs).map(({ env }) => env)].filter(isSecret)).toEqual([]);
    expect(steps().filter(isSecret)).toEqual([
      expect.objectContaining({
        run: 'npx --no-install chat-load nightly',
        env: { CHAT_LOAD_API_KEY: '${{ secrets.CHAT_LOAD_API_KEY }}' },
      }),
    ]);
  });

  test('pins every action by the full SHA of a commit, with its tag as a comment', () => {
    const uses = steps().flatMap((step) => step.uses ?? []);
    expect(uses.length).toBeGreaterThan(3);
    for (const action of uses) {
      expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40}$/);
      expect(written).toMatch(new RegExp(`${action} # v\\d+\\.\\d+\\.\\d+$`, 'm'));
    }
  });

  test('keeps no token of the checkout, and may only read', () => {
    const checkout = steps().find(({ uses }) => uses?.startsWith('actions/checkout@'));
    expect(checkout?.with).toEqual({ 'persist-credentials': false });
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const { permissions } of Object.values(workflow.jobs)) expect(permissions).toBeUndefined();
  });

  test('installs packages without running their scripts', () => {
    const installs = steps().flatMap(({ run }) => (run !== undefined && /\bnpm\b/.test(run) ? [run] : []));
    expect(installs).toEqual(['npm ci --ignore-scripts']);
  });
});
