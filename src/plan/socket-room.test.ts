import { describe, expect, test } from 'vitest';
import { type ConnectionNeeds, socketRoom, type SocketLimits, type SocketRoom } from './socket-room.ts';
import { resolveScenario } from './resolve-scenario.ts';

const descriptors = { limit: 1024, hard: 1024, open: 20 };
const localPorts = { first: 40_000, last: 40_999, reserved: 10, setting: 'net.ipv4.ip_local_port_range' };
const sure = (certain: number): ConnectionNeeds => ({ certain, expected: certain, max: certain });

interface Parts {
  target?: object;
  load?: object;
  limits?: SocketLimits;
}

function roomFor(
  needs: ConnectionNeeds,
  { target = {}, load, limits = { descriptors, localPorts } }: Parts = {},
): SocketRoom {
  const scenario = { name: 'x', sessions: 1, messages: ['a'], target: { agentId: 'a', apiKey: 'k', ...target }, load };
  return socketRoom(resolveScenario(scenario, { flags: {}, environment: {} }).plan, needs, limits);
}

const told = ({ shortages }: SocketRoom): string[] =>
  shortages.map(({ resource, need, stops }) => `${resource} ${need}${stops ? ' stops' : ''}`);

describe('the room for connections', () => {
  test('is the descriptor limit minus the descriptors of the process itself', () => {
    expect(roomFor(sure(1))).toMatchObject({ ownDescriptors: 64, byDescriptors: 960 });
    const many = { descriptors: { ...descriptors, open: 100 }, localPorts: null };
    expect(roomFor(sure(1), { limits: many })).toMatchObject({ ownDescriptors: 132, byDescriptors: 892 });
  });

  test('is never negative', () => {
    const few = { descriptors: { limit: 40, hard: 40, open: null }, localPorts: null };
    expect(roomFor(sure(1), { limits: few }).byDescriptors).toBe(0);
  });

  test('is the range of ports without the reserved ones, once for each local address', () => {
    expect(roomFor(sure(1)).byPorts).toBe(990);
    expect(roomFor(sure(1), { target: { localAddresses: ['127.0.0.2', '127.0.0.3'] } }).byPorts).toBe(1980);
  });

  test('is not judged if the limits are not known', () => {
    const room = roomFor(sure(1_000_000), { limits: { descriptors: null, localPorts: null } });
    expect(room).toMatchObject({ byDescriptors: null, byPorts: null, shortages: [] });
  });
});

describe('a shortage', () => {
  test('begins with the first connection above the limit', () => {
    expect(told(roomFor(sure(960)))).toEqual([]);
    expect(told(roomFor(sure(961)))).toEqual(['descriptors certain stops']);
    expect(told(roomFor(sure(991)))).toEqual(['descriptors certain stops', 'ports certain stops']);
  });

  test('is reported by the most certain need', () => {
    expect(told(roomFor({ certain: 1, expected: 961, max: 5000 }))[0]).toBe('descriptors expected stops');
    expect(told(roomFor({ certain: 1, expected: 5, max: 961 }))).toEqual(['descriptors max']);
  });

  test('that is only a forecast does not stop open load', () => {
    const needs = { certain: 1, expected: 961, max: null };
    expect(told(roomFor(needs, { load: { sessionsPerSecond: 1 } }))).toEqual(['descriptors expected']);
  });

  test('of ports stops a run only if one pair of addresses is known to have all connections', () => {
    const limits = { descriptors: null, localPorts };
    const stops = (target: object): boolean => roomFor(sure(5000), { target, limits }).shortages[0]?.stops ?? false;
    expect(stops({})).toBe(true);
    expect(stops({ baseUrl: 'http://127.0.0.1:80' })).toBe(true);
    expect(stops({ baseUrl: 'http://[::1]:80' })).toBe(true);
    expect(stops({ baseUrl: 'http://agent.example' })).toBe(false);
    expect(stops({ baseUrl: 'http://agent.example', localAddresses: ['10.0.0.1'] })).toBe(true);
  });
});
