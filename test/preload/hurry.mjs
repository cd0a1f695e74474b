// For `node --import`: what is to take 1.5 to 5 s takes a tenth of it, such as a probe's look at its own generator, or
// the time from one line of progress to the next. Time limits, which are longer, stay.
const { setInterval, setTimeout } = globalThis;
const hurried = (ms) => (ms >= 1500 && ms <= 5000 ? ms / 10 : ms);

globalThis.setTimeout = (act, ms, ...given) => setTimeout(act, hurried(ms), ...given);
globalThis.setInterval = (act, ms, ...given) => setInterval(act, hurried(ms), ...given);
