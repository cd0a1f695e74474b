// LangGraph's agent server in memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@langchain/langgraph-api/server';

// It stores its threads in its folder.
const cwd = mkdtempSync(join(tmpdir(), 'agent-server-'));
process.once('SIGTERM', () => {
  rmSync(cwd, { recursive: true, force: true });
  process.exit();
});

await startServer({
  port: Number(process.env.PORT),
  host: '127.0.0.1',
  nWorkers: 4,
  cwd,
  graphs: { agent: `${join(import.meta.dirname, 'agent-graph.mjs')}:graph` },
});
