/** The fault of one variable, and the value to set instead. Neither text contains a value that may be a secret. */
export type ConfigFault = { variable: string; fault: string; fix: string };

export type Environment = Readonly<Record<string, string | undefined>>;
