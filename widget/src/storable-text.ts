/** Removes NUL and half surrogate pairs, which people and pages can enter, but the server cannot store. */
export const storable = (text: string): string => text.replace(/[\p{Cs}\0]/gu, '').trim();
