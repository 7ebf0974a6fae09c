/**
 * Converts text to one line, in which each run of white space, control characters and invisible breaks becomes one
 * space.
 */
export const oneLine = (text: string): string => text.replaceAll(/[\s\u00ad\u200b\ufeff\p{Cc}]+/gu, ' ').trim();
