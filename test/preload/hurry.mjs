// For `node --import`: what is to take 1.5 to 5 s takes a twentieth of it, such as a probe's look at its own generator,
// and what is to be done as often is done ten times as often, such as a line of progress. Time limits, which are longer,
// stay.
const { setInterval, setTimeout } = globalThis;
const isHurried = (ms) => ms >= 1500 && ms <= 5000;

globalThis.setTimeout = (act, ms, ...given) => setTimeout(act, isHurried(ms) ? ms / 20 : ms, ...given);
globalThis.setInterval = (act, ms, ...given) => setInterval(act, isHurried(ms) ? ms / 10 : ms, ...given);
