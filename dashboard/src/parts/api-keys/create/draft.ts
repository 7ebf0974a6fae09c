import type { Permission } from '../../../../../contract/permissions.ts';
import { NO_LIMITS, type LimitTexts } from '../limits-field.tsx';

/** The input of the form for a new key. The draft contains no secret, so a reload of the tab may restore it. */
export type Draft = {
  label: string;
  scope: 'organization' | 'agent';
  agent_id: string | null;
  permissions: Permission[];
  /** The text in the field, one network per line. */
  networks: string;
} & LimitTexts;

export const emptyDraft = (agentId: string | null): Draft => ({
  label: '',
  scope: agentId ? 'agent' : 'organization',
  agent_id: agentId,
  permissions: ['triggers'],
  networks: '',
  ...NO_LIMITS,
});

const STORAGE = 'parley.key-draft';

export function readDraft(organizationId: string): Draft | null {
  try {
    const { organization, draft } = JSON.parse(sessionStorage.getItem(STORAGE) ?? '{}') as {
      organization?: string;
      draft?: Draft;
    };
    return organization === organizationId && draft ? { ...emptyDraft(null), ...draft } : null;
  } catch {
    return null;
  }
}

export function keepDraft(organization: string, draft: Draft): void {
  try {
    sessionStorage.setItem(STORAGE, JSON.stringify({ organization, draft }));
  } catch {
    // If the storage is not available, a reload starts with an empty draft.
  }
}

export function dropDraft(): void {
  try {
    sessionStorage.removeItem(STORAGE);
  } catch {
    // If the storage is not accessible, nothing was stored.
  }
}
