export const START_PLACES = ['website', 'backend'] as const;
/** The place where the first conversation starts. The chosen place determines the steps after the agent. */
export type StartPlace = (typeof START_PLACES)[number];
