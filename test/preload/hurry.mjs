// For `node --import`: what is to be done every 1.5 to 5 s is done ten times as often, such as a line of progress.
const { setInterval } = globalThis;
const isHurried = (ms) => ms >= 1500 && ms <= 5000;

globalThis.setInterval = (act, ms, ...given) => setInterval(act, isHurried(ms) ? ms / 10 : ms, ...given);
