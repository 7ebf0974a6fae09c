/** This file has all limits of a request. */
export const MAX_BODY_BYTES = 256 * 1024;
export const MAX_HEADER_BYTES = 16 * 1024;
export const MAX_MESSAGE_CHARACTERS = 32_000;

/** An opened conversation shows at most this many messages, because each change reads all of them again. */
export const MAX_SHOWN_MESSAGES = 2_000;

/** One conversation has at most this many notes. */
export const MAX_NOTES = 100;
export const MAX_NOTE_CHARACTERS = 4_000;
/** One note mentions at most this many members. */
export const MAX_MENTIONS = 20;
export const MAX_JSON_DEPTH = 32;
export const MAX_JSON_KEYS = 1_000;
/**
 * A body has at most this many values that are separated by commas, as many as 256 KiB can contain. The limit bounds
 * the time for parsing a larger body.
 */
export const MAX_JSON_VALUES = 131_072;
export const REQUEST_TIMEOUT_MS = 30_000;
export const MAX_WAIT_SECONDS = 25;
/**
 * A call of the OpenAI-compatible endpoint waits for this time, which is less than the 60 s of common load balancers.
 */
export const COMPLETION_WAIT_SECONDS = 55;
/** The minimum and maximum retention of conversations, if an organization sets a retention. */
export const MIN_RETENTION_DAYS = 30;
export const MAX_RETENTION_DAYS = 3_650;
export const MAX_PAGE = 100;
export const DEFAULT_PAGE = 20;
export const MAX_LABEL_CHARACTERS = 64;
/** A key has at most this many allowed networks. */
export const MAX_ALLOWED_NETWORKS = 50;
export const MAX_NAME_CHARACTERS = 200;
export const IDEMPOTENCY_RETENTION_HOURS = 24;
/** A rate-limited caller waits at most this long, because no window is longer. */
export const RATE_WINDOW_SECONDS = 60;

export type RateLimit = { key: number; organization: number };
export const RATE_FAMILIES = ['triggers', 'channels', 'end_users', 'campaigns'] as const;
export type RateFamily = (typeof RATE_FAMILIES)[number];
export type RateLimits = Record<RateFamily, RateLimit>;

/** The calls per minute and family, for one key and for all keys of one organization. */
export const DEFAULT_RATE_LIMITS: RateLimits = {
  triggers: { key: 600, organization: 3_000 },
  channels: { key: 600, organization: 3_000 },
  end_users: { key: 1_200, organization: 6_000 },
  campaigns: { key: 300, organization: 1_000 },
};

const MIB = 1024 * 1024;

/** A file in a conversation has at most this size. No channel provider accepts larger files of every kind. */
export const MAX_ATTACHMENT_BYTES = 10 * MIB;
export const MAX_ATTACHMENT_NAME = 255;

/** The highest number of a version of an agent. */
export const MAX_VERSION = 999_999_999;
