import { breakages } from './openai-chat.ts';
import { brokenBy } from './spoil.ts';

export const { broken, sound, maxExchanges } = brokenBy(breakages);
