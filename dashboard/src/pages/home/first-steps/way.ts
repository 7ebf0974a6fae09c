export const WAYS = ['website', 'backend'] as const;
/** Where the first conversation starts. It decides the steps after the agent. */
export type Way = (typeof WAYS)[number];
