import { createAccess } from '../access/access.ts';
import { createClientTokens } from '../access/client-tokens/client-token.ts';
import { createDigest } from '../access/api-keys/digest.ts';
import { createLastUsed } from '../access/api-keys/last-used.ts';
import type { SharedCounters } from '../access/limits/shared-counters.ts';
import { createMailLimit } from '../access/sessions/mail-limit.ts';
import { createLazyOidc } from '../access/sessions/lazy-oidc.ts';
import { createPasskeys } from '../access/sessions/passkeys.ts';
import { createSessions } from '../access/sessions/sessions.ts';
import { createSignInLimit, ORGANIZATION_SIGN_IN_LIMITS, SIGN_IN_LIMITS } from '../access/sessions/sign-in-limit.ts';
import { createTokenGate } from '../access/tokens/token-gate.ts';
import { createVisitorTokens } from '../access/visitors/visitor-token.ts';
import type { Secrets } from '../config/secrets.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Egress } from '../kernel/egress.ts';
import { createTxtLookUp } from '../kernel/txt-records.ts';
import { writeLastUsed } from '../store/api-keys/last-used.ts';
import type { AppDeps } from './app-deps.ts';
import type { Service } from './service.ts';

type Parts = { secrets: Secrets; shared: SharedCounters | null; egress: Egress; onSettled(ms: number): void };

/** Opens authentication of callers and sign-in of members, with their keys, tokens, sessions, limits and secrets. */
export function openAccess(app: AppDeps, { secrets, shared, egress, onSettled }: Parts) {
  const { config, db, databaseUrl, log, role } = app;
  const { region, baseUrl } = config;
  const clientTokens = createClientTokens(secrets.clientTokenKey, region);
  const access = createAccess({
    db,
    databaseUrl,
    role,
    region,
    baseUrls: config.baseUrls,
    pepper: secrets.apiKeyPepper,
    clientTokens,
    limits: config.limits,
    shared,
    clock: systemClock,
    onSettled,
    log,
  });
  const signInLimit = createSignInLimit(SIGN_IN_LIMITS, shared);
  const digest = createDigest(secrets.apiKeyPepper);
  const tokenLastUsed = createLastUsed({
    clock: systemClock,
    write: (uses) => writeLastUsed(db.$client, 'access_token', uses),
    onError: (error) => log.debug({ err: error }, 'The last use of access tokens was not written.'),
  });
  const fields = {
    access,
    clientTokens,
    findChannel: access.facts.channel,
    digest,
    tokens: createTokenGate({ db, region, digest, signInLimit, tokenLastUsed }),
    sessions: createSessions({
      db,
      secret: secrets.sessionSecret,
      otherSecrets: secrets.otherSessionSecrets,
      baseUrl,
      limit: signInLimit,
      log: (level, message) => log[level](message),
    }),
    signInLimit,
    organizationSignInLimit: createSignInLimit(ORGANIZATION_SIGN_IN_LIMITS, shared),
    oidc: createLazyOidc({ egress, now: Date.now }),
    lookUpTxt: createTxtLookUp(config.dnsServers),
    passkeys: createPasskeys({ key: secrets.setupKey, baseUrl }),
    signInKey: secrets.signInKey,
    setupKey: secrets.setupKey,
    mailLimit: createMailLimit(),
    visitorTokens: createVisitorTokens(secrets.visitorKey, Date.now),
  };
  const services: Service[] = [
    // A worker checks no keys. If a worker had a lease, each revoke would have to wait for the worker.
    { start: () => (role === 'worker' ? undefined : access.start()), stop: () => access.stop() },
    tokenLastUsed,
  ];
  return { fields, services, tokenLastUsed };
}
