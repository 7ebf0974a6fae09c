import type { Leak, LeakReport } from '../../../contract/leaks.ts';
import { digestBytes } from '../../access/keys/digest.ts';
import { parseKey } from '../../access/keys/key-format.ts';
import { redact } from '../../kernel/redact.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import { findActiveKeys } from '../../store/api-keys/api-keys.ts';
import type { ApiKeysDeps } from './api-keys.ts';
import { revokeApiKey } from './revoke-api-key.ts';

/** Who a report acts as, in the audit log and as `revoked_by`. */
const LEAK_REPORT = 'leak_report';
/** Revokes that are under way at once: each takes its place in the change log, and they wait for the nodes together. */
const AT_ONCE = 10;
const MAX_URL_CHARACTERS = 500;

/**
 * Whoever has the whole value of a key has proven that it leaked, so every report is acted on (docs/adr/0105). What is no
 * key, of another region, unknown or revoked already is passed over in silence; the caller is told the same in any case.
 */
export async function reportLeakedKeys(
  deps: ApiKeysDeps,
  report: LeakReport,
  from: Pick<Actor, 'address' | 'requestId'> & { signed: boolean },
): Promise<void> {
  const leaks = new Map<string, Leak>();
  for (const { token, url, source } of report) {
    const value = token.trim();
    const parsed = parseKey(value);
    if (!parsed.ok || parsed.region !== deps.region || leaks.get(value)?.url) continue;
    leaks.set(value, { url: placeOf(url), source: kindOf(source), signed: from.signed });
  }
  const byDigest = new Map([...leaks].map(([value, leak]) => [deps.digest(value), leak]));
  if (byDigest.size === 0) return;
  const found = await findActiveKeys(deps.db, [...byDigest.keys()].map(digestBytes));
  const actor: Actor = { userId: LEAK_REPORT, address: from.address, requestId: from.requestId };
  const failures: unknown[] = [];
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const outcomes = await Promise.allSettled(
      found
        .slice(at, at + AT_ONCE)
        .map(({ orgId, id, digest }) => revokeApiKey(deps, orgId, id, actor, byDigest.get(digest.toString('latin1')))),
    );
    failures.push(...outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : [])));
  }
  // What could be revoked is; the sender tries again for the rest.
  if (failures.length > 0) throw failures[0];
}

/** An address to show, not to follow: without credentials and query, and never one that holds a key itself. */
function placeOf(text: string | null | undefined): string | null {
  const url = text ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  url.search = '';
  url.username = '';
  url.password = '';
  const { href } = url;
  return href.length <= MAX_URL_CHARACTERS && redact(href) === href && redact(decoded(href)) === decoded(href)
    ? href
    : null;
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

const kindOf = (source: string | null | undefined): string | null =>
  source && /^[a-z][a-z0-9_]{0,39}$/.test(source) ? source : null;
