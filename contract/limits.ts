/** All limits of a request. */
export const MAX_BODY_BYTES = 256 * 1024;
export const MAX_HEADER_BYTES = 16 * 1024;
export const MAX_MESSAGE_CHARACTERS = 32_000;

/** The maximum number of notes about one conversation. */
export const MAX_NOTES = 100;
export const MAX_NOTE_CHARACTERS = 4_000;
/** The maximum number of members that one note mentions. */
export const MAX_MENTIONS = 20;
export const MAX_JSON_DEPTH = 32;
export const MAX_JSON_KEYS = 1_000;
/**
 * The maximum number of values that are separated by commas: as many as 256 KiB can contain. This maximum limits the
 * cost of parsing a larger body.
 */
export const MAX_JSON_VALUES = 131_072;
export const REQUEST_TIMEOUT_MS = 30_000;
export const MAX_WAIT_SECONDS = 25;
/** How long a call of the OpenAI-compatible endpoint waits: less than the 60 s of common load balancers. */
export const COMPLETION_WAIT_SECONDS = 55;
/** The minimum and maximum retention of conversations, if there is a limit. */
export const MIN_RETENTION_DAYS = 30;
export const MAX_RETENTION_DAYS = 3_650;
export const MAX_PAGE = 100;
export const DEFAULT_PAGE = 20;
export const MAX_LABEL_CHARACTERS = 64;
/** The maximum number of allowed networks of a key. */
export const MAX_ALLOWED_NETWORKS = 50;
export const MAX_NAME_CHARACTERS = 200;
export const IDEMPOTENCY_RETENTION_HOURS = 24;
/** The maximum `Retry-After` of a rate-limited caller. No window is longer. */
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

/**
 * The maximum size of a file in a conversation. No channel provider accepts larger files for all of its kinds of files.
 */
export const MAX_ATTACHMENT_BYTES = 10 * MIB;
export const MAX_ATTACHMENT_NAME = 255;

/** The highest number of a version of an agent. */
export const MAX_VERSION = 999_999_999;
