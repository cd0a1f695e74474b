// For `node --import`: with the first SIGUSR2 the wall clock is set an hour forward, with the second two hours back.
import process from 'node:process';

const now = Date.now;
const hours = [0, 1, -1];

process.on('SIGUSR2', () => hours.shift());
Date.now = () => now() + (hours[0] ?? 0) * 3_600_000;
