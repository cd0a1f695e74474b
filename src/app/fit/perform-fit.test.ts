import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../../../test/support/command.ts';
import { performFit } from './perform-fit.ts';

const span = {
  traceId: 'a',
  startTimeUnixNano: '5000000',
  endTimeUnixNano: '7000000',
  attributes: [
    { key: 'openinference.span.kind', value: { stringValue: 'LLM' } },
    { key: 'llm.token_count.prompt', value: { intValue: '30' } },
  ],
};

test.each<[string, object, string]>([
  ['spans of OpenTelemetry', { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }, 'opentelemetry'],
  ['a list of spans', [span], 'opentelemetry'],
  ['requests of Mooncake', [{ timestamp: 0, input_length: 30, output_length: 5 }], 'mooncake'],
])('a document in JSON with line breaks that contains %s is a trace', async (_, document, form) => {
  const file = join(await makeFolder(), 'trace.json');
  await writeFile(file, JSON.stringify(document, null, 2));
  const { inputs } = await performFit({ files: [file], reading: {}, seed: 1, replyTimeMs: 1000 });
  expect(inputs).toMatchObject([{ holds: 'trace', count: 1, form }]);
});

test.each([{}, { input_length: 3 }])('a document in JSON with messages and %j contains conversations', async (more) => {
  const file = join(await makeFolder(), 'talks.json');
  await writeFile(
    file,
    JSON.stringify([{ messages: [{ role: 'user', content: '"input_length": 3' }], ...more }], null, 2),
  );
  await expect(performFit({ files: [file], reading: {}, seed: 1, replyTimeMs: 1000 })).rejects.toThrow(
    'The conversations cannot be read from',
  );
});
