export * from '../wire/outcome.ts';
