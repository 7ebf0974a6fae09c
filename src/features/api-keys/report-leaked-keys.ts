import type { Leak, LeakReport } from '../../../contract/leak-report.ts';
import { digestForms } from '../../access/api-keys/digest.ts';
import { parseKey } from '../../access/api-keys/key-format.ts';
import { redact } from '../../kernel/redact.ts';
import type { Actor } from '../../store/organizations/audit.ts';
import { findActiveKeys } from '../../store/api-keys/revoke.ts';
import type { ApiKeysDeps } from './deps.ts';
import { revokeApiKey } from './revoke-api-key.ts';

/** The actor of leak reports, in the audit log and as `revoked_by`. */
const LEAK_REPORT = 'leak_report';
/**
 * At most this many revokes run concurrently. Each revoke gets its position in the change log. After the last revoke,
 * one wait covers the positions of all revokes.
 */
const AT_ONCE = 10;
const MAX_URL_CHARACTERS = 500;

/**
 * A caller who has the whole value of a key proves that the key leaked, so every report has an effect (docs/adr/0105).
 * The function silently skips values that are not keys, and keys that are unknown, already revoked or of another
 * region. The caller gets the same response for skipped and for revoked keys.
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
  // While the secret is being rotated, a key's row may contain either form of its digest.
  const byDigest = new Map(
    [...leaks].flatMap(([value, leak]) =>
      digestForms(deps.digest(value)).map((form) => [form.toString('latin1'), { form, leak }] as const),
    ),
  );
  if (byDigest.size === 0) return;
  const found = await findActiveKeys(
    deps.db,
    [...byDigest.values()].map(({ form }) => form),
  );
  const actor: Actor = { userId: LEAK_REPORT, address: from.address, requestId: from.requestId };
  const failures: unknown[] = [];
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const outcomes = await Promise.allSettled(
      found
        .slice(at, at + AT_ONCE)
        .map(({ orgId, id, digest }) =>
          revokeApiKey(deps, orgId, id, actor, byDigest.get(digest.toString('latin1'))?.leak),
        ),
    );
    failures.push(...outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : [])));
  }
  // If some revokes failed, the other keys are revoked, and the sender retries the failed revokes.
  if (failures.length > 0) throw failures[0];
}

/**
 * The URL is only displayed, never opened. The URL has no credentials and no query, and it is dropped if it contains a
 * key.
 */
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
