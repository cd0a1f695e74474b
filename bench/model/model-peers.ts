import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** A mock of a model by others, started on a port. */
export interface ModelPeer {
  name: string;
  /** Reports whether it is installed. */
  isPresent: () => boolean;
  command: (port: string) => readonly [string, ...string[]];
}

/** Mocks of models that may be installed by hand. They reply at once. */
export const modelPeers: readonly ModelPeer[] = [
  {
    name: '@copilotkit/aimock',
    isPresent: () => existsSync('test/stacks/node_modules/@copilotkit/aimock'),
    command: (port) => ['env', `PORT=${port}`, process.execPath, 'test/stacks/mock-vendors.mjs'],
  },
  {
    name: "GuideLLM's mock server",
    isPresent: () => spawnSync('guidellm', ['--version']).status === 0,
    command: (port) => [
      ...(['guidellm', 'mock-server', '--host', '127.0.0.1', '--port', port, '--workers', '1'] as const),
      ...['--ttft-ms', '0', '--itl-ms', '0', '--request-latency', '0', '--output-tokens', '28'],
    ],
  },
];
