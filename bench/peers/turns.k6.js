/* global __ENV, __VU, __ITER */
// k6: a fresh body, a parsed reply and one check for every turn.
import { check } from 'k6';
import http from 'k6/http';

const load = JSON.parse(__ENV.BENCH_LOAD);
const template = JSON.parse(__ENV.BENCH_BODY);
const params = { headers: { 'Content-Type': 'application/json', Authorization: 'Bearer bench-key' } };

export const options = { vus: load.connections, duration: `${load.seconds}s`, insecureSkipTLSVerify: true };

export default function () {
  const orderNumber = `ORD-${__VU}-${__ITER}`;
  const body = JSON.stringify({
    ...template,
    message: `Where is order ${orderNumber}? It should have come days ago.`,
    variableValues: { customerName: 'Ada', orderNumber },
  });
  const response = http.post(`${load.baseUrl}/api/developer/chat/messages`, body, params);
  check(response, { answered: (r) => r.json('data.sessionId') === template.sessionId });
}
