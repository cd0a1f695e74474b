import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { root } from '../support/command.ts';

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}
interface Workflow {
  permissions?: unknown;
  jobs: Record<string, { permissions?: unknown; steps: Step[] }>;
}

const files = [
  ...readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`),
  'docs/nightly/github-actions.yml',
  'docs/nightly/pull-request.yml',
];

test.each(files)('%s pins its actions, keeps no token, and has no expression in a script', (file) => {
  const text = readFileSync(join(root, file), 'utf8');
  const { permissions, jobs } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  expect(permissions).toEqual({ contents: 'read' });
  for (const { uses = '', run = '', with: inputs } of steps) {
    expect(run).not.toContain('${{');
    if (uses === '') continue;
    expect(uses).toMatch(/^[\w./-]+@[0-9a-f]{40}$/);
    expect(text).toMatch(new RegExp(`${uses} # v\\d+\\.\\d+\\.\\d+$`, 'm'));
    if (uses.startsWith('actions/checkout@')) expect(inputs).toMatchObject({ 'persist-credentials': false });
  }
});

test('only the job that comments may write, and it runs no code of the pull request', () => {
  const { jobs } = parse(readFileSync(join(root, 'docs/nightly/pull-request.yml'), 'utf8')) as Workflow;
  const { comment, ...others } = jobs;
  for (const { permissions } of Object.values(others)) expect(permissions).toBeUndefined();
  expect(comment?.permissions).toEqual({ 'pull-requests': 'write' });
  expect(comment?.steps.map(({ uses = '', run = '' }) => uses.split('@')[0] ?? run)).not.toContain('actions/checkout');
  expect(comment?.steps.map(({ run = '' }) => run).join('\n')).not.toMatch(/\b(npm|npx|node)\b/);
});
