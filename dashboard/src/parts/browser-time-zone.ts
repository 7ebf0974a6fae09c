/** Returns the time zone of this browser. */
export const browserTimeZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
