import { KEY_SCOPES, PERMISSIONS, type KeyScope, type Permission } from '../../../../../../contract/permissions.ts';

/** What the address of the list may say; anything else in it is dropped. */
export type KeysSearch = {
  text?: string;
  scope?: KeyScope;
  permission?: Permission;
  state?: 'revoked' | 'all';
  agent_id?: string;
  cursor?: string;
  /** The create dialog is open; the text is the agent to begin with, or empty. */
  create?: string;
  /** Id of the key that was just made here: after a reload its value is gone, and the page says so. */
  created?: string;
};
type Raw = Record<string, unknown>;

export const readKeysSearch = (raw: Raw): KeysSearch => ({
  text: text(raw['text']),
  scope: oneOf(KEY_SCOPES, raw['scope']),
  permission: oneOf(PERMISSIONS, raw['permission']),
  state: oneOf(['revoked', 'all'] as const, raw['state']),
  agent_id: text(raw['agent_id']),
  cursor: text(raw['cursor']),
  create: typeof raw['create'] === 'string' ? raw['create'] : undefined,
  created: text(raw['created']),
});

export const USAGE_RANGES = ['24h', '7d', '30d'] as const;
export type UsageRange = (typeof USAGE_RANGES)[number];
export const readKeySearch = (raw: Raw): { range?: UsageRange } => ({ range: oneOf(USAGE_RANGES, raw['range']) });

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.slice(0, 1024) : undefined;

const oneOf = <T extends string>(choices: readonly T[], value: unknown): T | undefined =>
  choices.find((choice) => choice === value);
