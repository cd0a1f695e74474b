import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { trendSchema } from '../../compare/trend/trend.ts';
import { probeSchema } from '../../probe/build-probe.ts';
import { renderers, type Kind } from '../../report/renderers.ts';
import { migrations, newestVersion } from './migrate-result.ts';
import { parseDocument } from './parse-document.ts';

/** As a chat-load wrote it that knew version 1. */
const fixtureText = (name: string): string =>
  readFileSync(new URL(`../../../test/fixtures/results/${name}`, import.meta.url), 'utf8');

test('a trend of version 1 keeps every figure; no alarm was looked for', () => {
  const text = fixtureText('trend-version-1.json');
  const old = JSON.parse(text) as { groups: { events: unknown[] }[] };
  expect(old.groups[0]?.events).toHaveLength(1);
  expect(parseDocument(text, 'chat-load/trend', trendSchema)).toEqual({
    part: { ...old, schemaVersion: 2, alarm: null },
  });
});

test('a probe of version 1 keeps every figure, two of them by other names', () => {
  const text = fixtureText('probe-version-1.json');
  const { replyMsAlone, ceiling, ...old } = JSON.parse(text) as {
    replyMsAlone: number;
    ceiling: { why: string };
  };
  const { why, ...rest } = ceiling;
  expect([replyMsAlone, why]).toEqual([expect.any(Number), 'no_growth']);
  expect(parseDocument(text, 'chat-load/probe', probeSchema)).toEqual({
    part: { ...old, schemaVersion: 2, singleConnectionReplyMs: replyMsAlone, ceiling: { ...rest, reason: why } },
  });
});

describe('the version that the steps of a kind lead to is the one that its schema takes', () => {
  test.each(Object.keys(renderers) as Kind[])('%s', async (kind) => {
    const versions = [1, 2, 3];
    const taken = await Promise.all(versions.map((schemaVersion) => takes(kind, schemaVersion)));
    expect(versions.filter((_, at) => taken[at])).toEqual([newestVersion(migrations[kind] ?? [])]);
  });

  /** Whether a schema has nothing against a version, whatever else is missing. */
  async function takes(kind: Kind, schemaVersion: number): Promise<boolean> {
    const { error } = (await renderers[kind]()).schema.safeParse({ kind, schemaVersion });
    return error !== undefined && error.issues.every(({ path }) => path[0] !== 'schemaVersion');
  }
});
