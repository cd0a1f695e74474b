import type { Finding } from '../finding.ts';
import type { StreamBench } from './stream-bench.ts';
export async function measureStreamPeers(_: StreamBench): Promise<Finding[]> {
  return [];
}
