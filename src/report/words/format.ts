/** The units are those of every sentence: the stages before a report write figures too. */
export * from '../../base/format.ts';
