import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exportedTable } from '../../docs/metrics-page.ts';
import { root } from '../support/command.ts';
import { expressionsOf, type Dashboard } from '../support/dashboard.ts';

const dashboard = JSON.parse(readFileSync(join(root, 'docs/grafana/chat-load.json'), 'utf8')) as Dashboard;

/** Names of metrics as Prometheus has them, without the endings of histograms. */
const exported = [...exportedTable().matchAll(/\| `(\w+)` \|/g)].map(([, name = '']) => name);

test('the Grafana dashboard asks for metrics that are exported', () => {
  const asked = expressionsOf(dashboard).flatMap(
    (expression) => expression.match(/\b(?:chat_load|gen_ai|http_client)_\w+(?=\{)/g) ?? [],
  );
  const unknown = asked.filter((name) => !exported.includes(name.replace(/_(bucket|count|sum)$/, '')));
  expect(unknown).toEqual([]);
  expect(new Set(asked).size).toBeGreaterThan(8);
});

test('the Grafana dashboard can be imported: every panel has a number, a place and a source that is chosen then', () => {
  const { panels, schemaVersion, templating } = dashboard;
  expect(schemaVersion).toBeGreaterThan(35);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const variables = templating.list.map(({ name }) => name);
  const used = [...JSON.stringify(panels).matchAll(/\$\{?([a-z]\w*)\}?/g)].map(([, name = '']) => name);
  expect(variables).toEqual(expect.arrayContaining([...new Set(used)]));
  for (const { datasource, gridPos } of panels) {
    expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  }
});
