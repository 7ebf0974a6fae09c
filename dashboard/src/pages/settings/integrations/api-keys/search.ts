import { KEY_SCOPES, PERMISSIONS, type KeyScope, type Permission } from '../../../../../../contract/permissions.ts';

/** The search parameters of the list. Unknown parameters are dropped. */
export type KeysSearch = {
  text?: string;
  scope?: KeyScope;
  permission?: Permission;
  state?: 'revoked' | 'all';
  agent_id?: string;
  cursor?: string;
  /** The parameter opens the dialog for a new key. The value of the parameter is the preselected agent, or empty. */
  create?: string;
  /** The ID of the new key. After a reload, the value of this key is lost, and the page explains this. */
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
