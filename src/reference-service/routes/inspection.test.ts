import inject from 'light-my-request';
import { describe, expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { embeddedOptions } from '../../scenario/embedded.ts';
import { scriptedProvider } from '../conversation/scripted-provider.ts';
import { createService } from '../service.ts';
import { loadApis } from '../apis/registry.ts';

const apis = await loadApis();

const options = embeddedOptions.parse({});

describe('stats and ledger', () => {
  test.each([
    ['127.0.0.1', 200, 404],
    ['127.1.2.3', 200, 404],
    ['::1', 200, 404],
    ['::ffff:127.0.0.1', 200, 404],
    ['192.0.2.1', 403, 403],
    ['2001:db8::1', 403, 403],
    ['::ffff:192.0.2.1', 403, 403],
  ])('are shown to this machine alone: %s', async (remoteAddress, stats, ledger) => {
    const clock = new VirtualClock();
    const service = createService({ options, apis, provider: scriptedProvider(options, clock), clock });
    onTestFinished(() => service.close());
    const status = async (url: string): Promise<number> =>
      (
        await inject((request, response) => void service.server.emit('request', request, response), {
          url,
          remoteAddress,
        })
      ).statusCode;
    expect([await status('/stats'), await status('/ledger/x')]).toEqual([stats, ledger]);
  });
});
