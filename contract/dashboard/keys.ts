import { Type, type Static } from 'typebox';
import { KeyLimits } from '../key-limits.ts';
import { MAX_ALLOWED_NETWORKS, MAX_LABEL_CHARACTERS } from '../limits.ts';
import { KEY_SCOPES, PERMISSIONS } from '../permissions.ts';
import { LeakRecord } from '../leak-report.ts';
import { closed, Id, Moment, Nullable, PageQuery, SearchText } from './shapes.ts';

const Scope = Type.Enum(KEY_SCOPES);
const PermissionName = Type.Enum(PERMISSIONS);
export const KEY_STATES = ['active', 'revoking', 'revoked'] as const;
const KeyState = Type.Enum(KEY_STATES);
const Label = Type.String({ minLength: 1, maxLength: MAX_LABEL_CHARACTERS, format: 'line' });

/** The addresses and networks (CIDR, IPv4 and IPv6) from which a key may be used. */
const AllowedNetworks = Type.Array(Type.String({ minLength: 2, maxLength: 64 }), {
  minItems: 1,
  maxItems: MAX_ALLOWED_NETWORKS,
});

const record = {
  id: Type.String(),
  prefix: Type.String(),
  label: Type.String(),
  scope: Scope,
  agent_id: Nullable(Type.String()),
  campaign_id: Nullable(Type.String()),
  permissions: Type.Array(PermissionName),
  /** Null: the key may be used from every network. */
  allowed_networks: Nullable(Type.Array(Type.String())),
  limits: Nullable(KeyLimits),
  /** The number of calls that `limits.total` still allows. Null: the key has no total. */
  remaining: Nullable(Type.Integer({ minimum: 0 })),
  state: KeyState,
  created_at: Moment,
  created_by: Nullable(Type.String()),
  last_used_at: Nullable(Moment),
  /** The time of a scheduled revocation, which is the expiry or the end of a rotation's overlap. */
  revoke_at: Nullable(Moment),
  revoked_at: Nullable(Moment),
  revoked_by: Nullable(Type.String()),
  /** After this time, no node accepts the key. Null before and during the revocation. */
  effective_at: Nullable(Moment),
  rotated_from: Nullable(Type.String()),
  /** True: the key was revoked because of a report that it was found in public. */
  leak: Nullable(LeakRecord),
  /**
   * The number of servers that may still accept the key. Only the response for one key that is being revoked has this
   * number.
   */
  waiting_for: Type.Optional(Type.Integer({ minimum: 0 })),
};

export const KeyRecord = Type.Object(record, { title: 'ApiKey' });
export type KeyRecord = Static<typeof KeyRecord>;

/** Only the responses to creating and rotating a key contain `value`. */
export const NewKey = Type.Object({ ...record, value: Type.String() }, { title: 'NewApiKey' });
export type NewKey = Static<typeof NewKey>;

export const KeyListQuery = PageQuery({
  text: SearchText,
  scope: Type.Optional(Scope),
  permission: Type.Optional(PermissionName),
  state: Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('revoked'), Type.Literal('all')], { default: 'active' }),
  ),
  agent_id: Type.Optional(Id('agent')),
  campaign_id: Type.Optional(Id('campaign')),
});

export const CreateKeyBody = Type.Object(
  {
    label: Label,
    scope: Scope,
    agent_id: Type.Optional(Id('agent')),
    campaign_id: Type.Optional(Id('campaign')),
    permissions: Type.Optional(Type.Array(PermissionName, { minItems: 1, maxItems: 4, uniqueItems: true })),
    allowed_networks: Type.Optional(Nullable(AllowedNetworks)),
    limits: Type.Optional(Nullable(KeyLimits)),
    expires_at: Type.Optional(Nullable(Moment)),
  },
  closed,
);
export type CreateKeyBody = Static<typeof CreateKeyBody>;

export const RenameKeyBody = Type.Object({ label: Label }, closed);

export const ShortenKeyNetworksBody = Type.Object({ allowed_networks: AllowedNetworks }, closed);

/** The time for which the old key stays valid beside the new key. */
export const ROTATION_OVERLAPS = ['now', '1h', '24h', '7d'] as const;
const HOUR_MS = 3_600_000;
export const OVERLAP_MS = { now: 0, '1h': HOUR_MS, '24h': 24 * HOUR_MS, '7d': 7 * 24 * HOUR_MS } as const;
export const RotateKeyBody = Type.Object({ overlap: Type.Enum(ROTATION_OVERLAPS) }, closed);
export type RotateKeyBody = Static<typeof RotateKeyBody>;

/**
 * The outcome is `accepted` below 400, `refused` for 4xx, and `failed` for 5xx. A call counts after the key is
 * verified.
 */
const outcomes = {
  accepted: Type.Integer({ minimum: 0 }),
  refused: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
};

export const USAGE_RANGES = ['24h', '7d', '30d'] as const;
export const KeyUsageQuery = Type.Object({ range: Type.Optional(Type.Enum(USAGE_RANGES, { default: '24h' })) }, closed);

/** The usage of a key, with the requests over time and the last 20 requests. */
export const KeyUsage = Type.Object(
  {
    /** The counts for 24 hours, 7 days or 30 days, oldest first, without gaps. */
    buckets: Type.Array(Type.Object({ at: Moment, ...outcomes })),
    /** The list has at most 20 requests, newest first. */
    requests: Type.Array(
      Type.Object({
        at: Moment,
        method: Type.String(),
        route: Type.String(),
        status: Type.Integer(),
        /** The problem code of a refused request. Null if the request was accepted. */
        code: Nullable(Type.String()),
        request_id: Type.String(),
      }),
    ),
    last_24h: Type.Integer({ minimum: 0 }),
  },
  { title: 'ApiKeyUsage' },
);
export type KeyUsage = Static<typeof KeyUsage>;
