// For `node --import`: what is waited for 29 to 30 s, such as a token that is to be renewed, is waited for a hundredth of it.
const { setTimeout } = globalThis;
const isPatience = (ms) => ms > 29_000 && ms <= 30_001;

globalThis.setTimeout = (act, ms, ...given) => setTimeout(act, isPatience(ms) ? ms / 100 : ms, ...given);
