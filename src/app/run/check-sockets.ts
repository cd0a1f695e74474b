import { ChatLoadError } from '../../base/errors.ts';
import { ms, type Ms } from '../../base/time.ts';
import { readSocketLimits } from '../../edge/health/read-socket-limits.ts';
import { connectionNeeds, socketRoom, type SocketLimits, type SocketRoom } from '../../plan/socket-room.ts';
import { forecast, type Forecast } from '../../plan/forecast.ts';
import { meanOf } from '../../plan/distributions.ts';
import type { Settled } from '../../plan/settle.ts';
import { shortageText } from '../../report/plan/shortage-text.ts';
import type { Warning } from '../../result/sections/warning.ts';

/**
 * Checks before the start whether this process may open as many connections as the load needs. Throws `ChatLoadError`
 * (environment) when it may not; less certain shortages are warnings.
 */
export async function checkSockets(settled: Settled): Promise<Warning[]> {
  const { plan, script } = settled;
  const room = roomOf(settled, forecast(plan, script, assumedReply(settled)), await readSocketLimits());
  const shortages = room.shortages.map((shortage) => ({ shortage, ...shortageText(shortage, room, plan) }));
  const stopping = shortages.filter(({ shortage }) => shortage.stops);
  if (stopping.length > 0)
    throw new ChatLoadError('environment', {
      message: stopping.map(({ message }) => message).join('\n'),
      hint: `${stopping.map(({ remedy }) => remedy).join('\n')} Nothing was sent.`,
    });
  return shortages.map(({ shortage, message, remedy }) => ({
    code: shortage.resource === 'descriptors' ? 'few_descriptors' : 'few_local_ports',
    message: `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`,
    remedy,
  }));
}

/** What the load needs, by any forecast, and what this system gives; what stops a run is seen as a run would see it. */
export async function foreseeSockets(settled: Settled, forecasted: Forecast): Promise<SocketRoom> {
  const { plan, script } = settled;
  const limits = await readSocketLimits();
  const room = roomOf(settled, forecasted, limits);
  const ofRun = roomOf(settled, forecast(plan, script, assumedReply(settled)), limits);
  const stopping = ofRun.shortages.filter(({ stops }) => stops);
  const others = room.shortages.filter(({ resource }) => !stopping.some((each) => each.resource === resource));
  return { ...room, shortages: [...stopping, ...others.map((each) => ({ ...each, stops: false }))] };
}

const roomOf = ({ plan }: Settled, forecasted: Forecast, limits: SocketLimits): SocketRoom =>
  socketRoom(plan, connectionNeeds(plan, forecasted), limits);

const unknownServiceMs = ms(1000);

/** How long a reply is assumed to take: by the embedded service's own latency, else a second. */
export function assumedReply({ embedded }: Settled): Ms {
  return embedded === undefined ? unknownServiceMs : meanOf(embedded.latency);
}
