/** A search text as an ILIKE pattern in which it stands for itself. */
export const containing = (text: string): string => `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
