import type { LanguageModelUsage } from 'ai';

/** The tokens of one call of a model, as its provider reported them. */
export type ReportedUsage = { input: number; cached: number; output: number };

/** A report above this number of tokens is wrong, because no model reads or writes a hundredth of it in one call. */
const MAX_TOKENS = 1_000_000_000;

/**
 * Returns the usage of a call. Null: the provider did not report it, or reported an impossible number. A negative number
 * would raise the rest of a budget.
 */
export function readUsage({ inputTokens, outputTokens, inputTokenDetails }: LanguageModelUsage): ReportedUsage | null {
  const [input, output] = [readTokens(inputTokens), readTokens(outputTokens)];
  if (input === null || output === null) return null;
  return { input, output, cached: Math.min(readTokens(inputTokenDetails.cacheReadTokens) ?? 0, input) };
}

/** Returns a reported number of tokens, or null if the number is absent or impossible. */
export const readTokens = (tokens: number | undefined): number | null =>
  Number.isInteger(tokens) && tokens! >= 0 && tokens! <= MAX_TOKENS ? tokens! : null;
