/**
 * IDs are TypeIDs, as `<prefix>_<26 characters of lower-case Crockford base32>`. IDs contain a UUIDv7, so sorting by ID
 * is sorting by creation time. The format is the TypeID specification 0.3.
 */
export const ID_PREFIXES = [
  'org',
  'agent',
  'trigger',
  'run',
  'channel',
  'enduser',
  'campaign',
  'rcpt',
  'conv',
  'msg',
  'mail',
  'key',
  'evt',
  'whk',
  'req',
  'approval',
  // The following prefixes belong to records that the public API never shows.
  'user',
  'member',
  'invite',
  'session',
  'account',
  'verify',
  'doc',
  'audit',
  'node',
  'import',
  'passkey',
  'tsec',
  'budget',
  'source',
  'token',
  'note',
  'sreply',
  'segment',
  'attachment',
  'view',
  'push',
  'turn',
  'rollout',
  'wording',
] as const;

export type IdPrefix = (typeof ID_PREFIXES)[number];

/** The first character is at most 7, because 26 base32 characters contain 130 bits and a UUID has 128 bits. */
export const ID_SUFFIX_PATTERN = '[0-7][0-9a-hjkmnp-tv-z]{25}';

export const idPattern = (prefix: IdPrefix): string => `^${prefix}_${ID_SUFFIX_PATTERN}$`;

const patterns = new Map<IdPrefix, RegExp>(ID_PREFIXES.map((prefix) => [prefix, new RegExp(idPattern(prefix))]));

export const isId = (prefix: IdPrefix, value: string): boolean => patterns.get(prefix)!.test(value);
