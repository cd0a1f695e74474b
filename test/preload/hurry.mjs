// For `node --import`: what is to take a second or longer takes a tenth of it, such as a probe's look at its own generator.
const { setTimeout } = globalThis;

globalThis.setTimeout = (act, ms, ...given) => setTimeout(act, ms >= 1000 ? ms / 10 : ms, ...given);
