/** All limits of a request. */
export const MAX_BODY_BYTES = 256 * 1024;
export const MAX_HEADER_BYTES = 16 * 1024;
export const MAX_MESSAGE_CHARACTERS = 32_000;

/** Notes of members beside one conversation. */
export const MAX_NOTES = 100;
export const MAX_NOTE_CHARACTERS = 4_000;
/** Members whom one note names. */
export const MAX_MENTIONS = 20;
export const MAX_JSON_DEPTH = 32;
export const MAX_JSON_KEYS = 1_000;
/** Values that commas part: as many as 256 KiB can hold. It bounds what a larger body costs. */
export const MAX_JSON_VALUES = 131_072;
export const REQUEST_TIMEOUT_MS = 30_000;
export const MAX_WAIT_SECONDS = 25;
/** How long conversations may be kept at least and at most, where they are not kept for good. */
export const MIN_RETENTION_DAYS = 30;
export const MAX_RETENTION_DAYS = 3_650;
export const MAX_PAGE = 100;
export const DEFAULT_PAGE = 20;
export const MAX_LABEL_CHARACTERS = 64;
/** Entries of a key's list of allowed networks. */
export const MAX_ALLOWED_NETWORKS = 50;
export const MAX_NAME_CHARACTERS = 200;
export const IDEMPOTENCY_KEPT_HOURS = 24;
/** What a caller over a limit is told to wait; windows are never longer. */
export const RATE_WINDOW_SECONDS = 60;

export type RateLimit = { key: number; organization: number };
export const RATE_FAMILIES = ['triggers', 'channels', 'end_users', 'campaigns'] as const;
export type RateFamily = (typeof RATE_FAMILIES)[number];
export type RateLimits = Record<RateFamily, RateLimit>;

/** Calls per minute and family, for one key and for all keys of one organization. */
export const DEFAULT_RATE_LIMITS: RateLimits = {
  triggers: { key: 600, organization: 3_000 },
  channels: { key: 600, organization: 3_000 },
  end_users: { key: 1_200, organization: 6_000 },
  campaigns: { key: 300, organization: 1_000 },
};

const MIB = 1024 * 1024;

/** A file that is sent in a conversation. The providers of channels take no larger ones in all of their kinds. */
export const MAX_ATTACHMENT_BYTES = 10 * MIB;
export const MAX_ATTACHMENT_NAME = 255;
