import type { DatasetDocument } from '../../src/dataset/inspect/dataset-document.ts';
import { Inspector } from '../../src/dataset/inspect/inspector.ts';

/** Findings in a file with everything that a report shows. */
export function sampleDataset(): DatasetDocument {
  const inspector = new Inspector();
  const talk = {
    language: 'en',
    messages: [
      { role: 'user', text: 'Write to jane@example.com, or call +44 20 7946 0958' },
      { role: 'user', text: 'please' },
      { role: 'assistant', text: 'I will' },
    ] as const,
  };
  inspector.add({ place: 1, conversation: talk }, 'line 1');
  inspector.add({ place: 2, conversation: talk }, 'line 2');
  inspector.add({ place: 3, problem: 'malformed', detail: 'it is not JSON' }, 'line 3');
  return {
    kind: 'chat-load/dataset',
    schemaVersion: 1,
    toolVersion: '0',
    files: [{ path: 'talks.jsonl', format: 'openai', container: 'jsonl', bytes: 1000 }],
    ...inspector.findings(),
  };
}
