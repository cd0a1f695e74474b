import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { historySchema } from '../../compare/document/history.ts';
import { trendSchema } from '../../compare/trend/trend.ts';
import { probeSchema } from '../../probe/build-probe.ts';
import { kinds, schemas } from '../../report/documents.ts';
import { journalHeaderSchema } from '../../result/journal/journal.ts';
import { migrations, newestVersion } from './migrate-result.ts';
import { parseDocument } from './parse-document.ts';

/** As a chat-load wrote it that knew version 1. */
const fixtureText = (name: string): string =>
  readFileSync(new URL(`../../../test/fixtures/results/${name}`, import.meta.url), 'utf8');

test('a trend of version 1 keeps every figure; no alarm was looked for, and which nights are degraded is not known', () => {
  const text = fixtureText('trend-version-1.json');
  const old = JSON.parse(text) as { groups: { events: unknown[]; nights: object[] }[] };
  expect(old.groups[0]?.events).toHaveLength(1);
  const groups = old.groups.map((group) => ({
    ...group,
    nights: group.nights.map((night) => ({ ...night, degraded: null, startedAt: null })),
  }));
  expect(parseDocument(text, 'chat-load/trend', trendSchema)).toEqual({
    part: { ...old, groups, schemaVersion: 2, alarm: null },
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
    part: {
      ...old,
      schemaVersion: 2,
      cores: null,
      singleConnectionReplyMs: replyMsAlone,
      ceiling: { ...rest, reason: why },
    },
  });
});

describe('the version that the steps of a kind lead to is the one that its schema takes', () => {
  const versioned: [string, () => Promise<z.ZodType>][] = [
    ...kinds.map((kind): [string, () => Promise<z.ZodType>] => [kind, schemas[kind]]),
    ['chat-load/history', () => Promise.resolve(historySchema)],
    ['chat-load/journal', () => Promise.resolve(journalHeaderSchema)],
  ];

  test.each(versioned)('%s', async (kind, load) => {
    const schema = await load();
    // Whatever else is missing.
    const takes = (schemaVersion: number): boolean =>
      schema.safeParse({ kind, schemaVersion }).error?.issues.every(({ path }) => path[0] !== 'schemaVersion') ?? true;
    expect([1, 2, 3].filter(takes)).toEqual([newestVersion(migrations[kind] ?? [])]);
  });
});
