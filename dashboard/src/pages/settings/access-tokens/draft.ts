import type { CreateAccessTokenBody } from '../../../../../contract/dashboard/access-tokens.ts';
import type { TokenKind, TokenRole, TokenVerb } from '../../../../../contract/permissions.ts';

/** The input of the form for a new token. */
export type Draft = {
  label: string;
  kind: TokenKind;
  role: TokenRole;
  verbs: TokenVerb[];
  isNarrow: boolean;
  agent_id: string | null;
  days: '30' | '90' | '365' | 'none';
};

export const EMPTY_DRAFT: Draft = {
  label: '',
  kind: 'person',
  role: 'member',
  verbs: ['read', 'test'],
  isNarrow: false,
  agent_id: null,
  days: '90',
};

export const bodyOf = (draft: Draft): CreateAccessTokenBody => ({
  label: draft.label.trim(),
  kind: draft.kind,
  ...(draft.kind === 'organization' && { role: draft.role }),
  verbs: draft.verbs,
  ...(draft.isNarrow && { agent_ids: [draft.agent_id!] }),
  expires_in_days: draft.days === 'none' ? null : (Number(draft.days) as 30 | 90 | 365),
});
