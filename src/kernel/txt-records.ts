import { Resolver } from 'node:dns/promises';

/**
 * Finds the TXT records of a name. Empty: the name has no TXT records. The promise rejects if the DNS has no definite
 * answer.
 */
export type LookUpTxt = (name: string) => Promise<string[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** The two DNS answers which mean that the record does not exist. */
const NOTHING = ['ENODATA', 'ENOTFOUND'];

/**
 * Queries the DNS on every call, without a cache. `servers` are addresses such as `192.0.2.53:53`. Without `servers`,
 * the name servers of the system are used.
 */
export function createTxtLookUp(servers: readonly string[]): LookUpTxt {
  return async (name) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(''));
    } catch (error) {
      if (NOTHING.includes((error as NodeJS.ErrnoException).code ?? '')) return [];
      throw error;
    }
  };
}
