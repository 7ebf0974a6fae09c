/** The search parameters of the list. Unknown parameters are dropped. */
export type TokensSearch = { state?: 'all'; cursor?: string; create?: string };

export const readTokensSearch = (raw: Record<string, unknown>): TokensSearch => ({
  state: raw['state'] === 'all' ? 'all' : undefined,
  cursor: typeof raw['cursor'] === 'string' && raw['cursor'] !== '' ? raw['cursor'].slice(0, 1024) : undefined,
  create: typeof raw['create'] === 'string' ? raw['create'] : undefined,
});
