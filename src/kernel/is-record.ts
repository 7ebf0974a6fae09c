/** True for a JSON object. The result is false for `null`, an array and every other value. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
