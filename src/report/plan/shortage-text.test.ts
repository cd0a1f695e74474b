import { describe, expect, test } from 'vitest';
import { type ConnectionNeeds, socketRoom, type SocketLimits } from '../../plan/socket-room.ts';
import { resolveScenario } from '../../plan/resolve-scenario.ts';
import { shortageText, type ShortageText } from './socket-text.ts';

const few = { descriptors: { limit: 256, hard: 256, open: 20 }, localPorts: null };
const ports = (first: number, last: number, setting = 'net.ipv4.ip_local_port_range'): SocketLimits => ({
  descriptors: null,
  localPorts: { first, last, reserved: 0, setting },
});
const sure = (certain: number): ConnectionNeeds => ({ certain, expected: certain, max: certain });

function tell(needs: ConnectionNeeds, limits: SocketLimits, scenario: object = {}): ShortageText {
  const { plan } = resolveScenario(
    { name: 'x', sessions: 1, messages: ['a'], ...scenario },
    { flags: {}, environment: {} },
  );
  const room = socketRoom(plan, needs, limits);
  const [shortage] = room.shortages;
  if (shortage === undefined) throw new Error('there is room');
  return shortageText(shortage, room, plan);
}

describe('a shortage of descriptors as text', () => {
  const { message, remedy } = tell(sure(1000), few);

  test('contains the need, the limit, and the room that it leaves', () => {
    expect(message).toBe(
      'the load needs 1,000 connections at once, but the limit of 256 open files leaves room for 192 (64 are reserved for the process itself).',
    );
  });

  test('names the level that fits and the commands that raise the limit far enough', () => {
    expect(remedy).toContain('--concurrency 192');
    for (const way of ['`ulimit -n 1064`', 'limits.conf', 'LimitNOFILE=', '--ulimit nofile=1064'])
      expect(remedy).toContain(way);
  });

  test('does not require privileges if the hard limit is higher', () => {
    const soft = { descriptors: { limit: 256, hard: 4096, open: 20 }, localPorts: null };
    expect(tell(sure(1000), soft).remedy).toMatch(/`ulimit -n 1064` in the shell first\.$/);
  });

  test('names no level if no session fits', () => {
    const none = { descriptors: { limit: 60, hard: 60, open: 20 }, localPorts: null };
    expect(tell(sure(10), none).remedy).not.toContain('--concurrency');
  });

  test('explains how certain the need is', () => {
    const expected = tell({ certain: 1, expected: 500, max: 900 }, few).message;
    expect(expected).toContain('is forecast to need about 500 connections');
    expect(tell({ certain: 1, expected: 5, max: 900 }, few).message).toContain('may need up to 900 connections');
  });

  test('advises a ramp if the forecast fits and the start alone does not', () => {
    expect(tell({ certain: 900, expected: 50, max: 900 }, few).remedy).toContain('load.rampUp');
    expect(tell(sure(900), few).remedy).not.toContain('load.rampUp');
  });

  test('names the bound of open load', () => {
    const load = { sessionsPerSecond: 1 };
    expect(tell({ certain: 1, expected: 500, max: null }, few, { load }).remedy).toContain(
      'Limit live sessions to 192 (load.maxConcurrency)',
    );
  });
});

describe('a shortage of local ports as text', () => {
  test('contains the range, the setting that widens it and the sufficient number of addresses', () => {
    const { message, remedy } = tell(sure(2500), ports(40_000, 40_999));
    expect(message).toContain(
      'there are 1,000 local ports (net.ipv4.ip_local_port_range is 40000 to 40999) per target address',
    );
    expect(remedy).toContain('sudo sysctl -w net.ipv4.ip_local_port_range="1024 65535"');
    expect(remedy).toContain('connect from 3 addresses of this machine (--local-address)');
  });

  test('counts every local address', () => {
    const target = { localAddresses: ['127.0.0.2', '127.0.0.3'] };
    const { message, remedy } = tell(sure(2500), ports(40_000, 40_999), { target });
    expect(message).toContain('the 2 local addresses have 1,000 local ports');
    expect(remedy).toContain('at most 2,000 concurrent sessions');
    expect(remedy).toContain('connect from 3 addresses');
  });

  test('does not widen a range that is already at its maximum', () => {
    expect(tell(sure(70_000), ports(1024, 65_535)).remedy).not.toContain('sysctl');
  });

  test('names the setting of the system', () => {
    const { remedy } = tell(sure(20_000), ports(49_152, 65_535, 'net.inet.ip.portrange'));
    expect(remedy).toContain('sudo sysctl -w net.inet.ip.portrange.first=1024');
  });
});
