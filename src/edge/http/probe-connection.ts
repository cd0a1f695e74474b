import { ChatLoadError } from '../../base/errors.ts';
import { later } from '../../base/time.ts';
import { describeConnectFailure, describeConnectTimeout } from './connect-failure.ts';
import type { ConnectFailure } from './connect-failure.ts';
import { aimSocket, openSocket } from './open-socket.ts';
import { checkBaseUrl } from './request-head.ts';
import { safeDetail } from './safe-detail.ts';
import type { SenderOptions } from './sender.ts';

/**
 * Opens and closes one connection, TLS included, to see whether the target can be reached at all. Sends nothing.
 * Rejects with `ChatLoadError`: environment for what failed and how to mend it, usage for a base URL that is none.
 */
export const probeConnection = async (
  options: Pick<SenderOptions, 'baseUrl' | 'connectTimeoutMs' | 'clock' | 'tls'>,
): Promise<void> => {
  checkBaseUrl(options.baseUrl);
  const failure = await tryConnecting(options);
  ...
};
