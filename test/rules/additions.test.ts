import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { protocolNames } from '../../src/protocol/registry/registry.ts';
import { root } from '../support/command.ts';
import { isProduction } from './rooms.ts';

// Counts the files that an addition touches: those that name an existing member to which nothing else refers.
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter(isProduction)
  .map((file) => ({ file, text: readFileSync(join(root, 'src', file), 'utf8') }));

/** Returns the production files that contain a text. */
const naming = (pattern: RegExp): string[] =>
  sources.flatMap(({ file, text }) => (pattern.test(text) ? [file.replaceAll('\\', '/')] : [])).sort();

describe('an addition touches', () => {
  test.each(protocolNames)('for a protocol its folder and one row: %s', (name) => {
    const folder = `protocol/${name}/`;
    expect(naming(new RegExp(`'${name}'|^  ${name}: \\{$`, 'm')).filter((file) => !file.startsWith(folder))).toEqual([
      'protocol/registry/registry.ts',
    ]);
  });

  test.each(['provider_rejected', 'provider_rate_limited'])(
    'for an outcome class the table and the protocol that assigns it: %s',
    (name) => {
      expect(naming(new RegExp(`\\b${name}\\b`))).toEqual(['protocol/chat-messaging/api.ts', 'protocol/outcome.ts']);
    },
  );

  test.each([
    ['respectRetryAfter', ['scenario/retry-options.ts', 'session/retry.ts']],
    ['maxRetryAfterMs', ['scenario/retry-options.ts', 'session/retry.ts']],
    ['onDisconnect', ['reference-service/model-api/exchange-stream.ts', 'scenario/embedded.ts']],
    ['flushEvery', ['reference-service/model-api/exchange-stream.ts', 'scenario/embedded.ts']],
  ])('for an option of a scenario its entry and its use: %s', (name, files) => {
    expect(naming(new RegExp(`\\b${name}\\b`))).toEqual(files);
  });

  test.each(['calibrate', 'serve'])('for a command its declaration and its use case: %s', (name) => {
    const files = naming(new RegExp(`'${name}'`));
    expect([files.length, files.at(-1)]).toEqual([2, `cli/perform/${name}.ts`]);
  });
});
