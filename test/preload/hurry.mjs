// For `node --import`: what is to take 1.5 to 5 s takes a twentieth of it, such as a probe's look at its own generator. Time
// limits, which are longer, stay.
const { setTimeout } = globalThis;

globalThis.setTimeout = (act, ms, ...given) => setTimeout(act, ms >= 1500 && ms <= 5000 ? ms / 20 : ms, ...given);
