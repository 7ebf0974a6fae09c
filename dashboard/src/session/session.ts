import { useSuspenseQuery } from '@tanstack/react-query';
import type { SessionView } from '../../../contract/dashboard/sign-in.ts';
import type { Role } from '../../../contract/permissions.ts';
import { queryClient, readOptions } from '../api/queries.ts';
import { preferences, setPreferences, usePreferences } from '../preferences.ts';

/**
 * Reads the signed-in person, and the current organization. Plan and role may change while the page is open, so they
 * are read again.
 */
export const sessionOptions = { ...readOptions('readSession', {}), staleTime: 15_000, refetchInterval: 30_000 };

export const useSession = (): SessionView => useSuspenseQuery(sessionOptions).data;

export type Organization = SessionView['organizations'][number];

/** Returns the selected organization. Null for a person without organizations. */
export function useMaybeOrganization(): Organization | null {
  const { organizations } = useSession();
  const { organization } = usePreferences();
  return organizations.find(({ id }) => id === organization) ?? organizations[0] ?? null;
}

/** Within the shell, the organization is always known, because the shell shows another page to people without one. */
export function useOrganization(): Organization {
  const organization = useMaybeOrganization();
  if (!organization) throw new Error('This page is shown only inside an organization.');
  return organization;
}

export function chooseOrganization(id: string): void {
  if (preferences().organization !== id) setPreferences({ organization: id });
}

const RANK: Record<Role, number> = { owner: 3, admin: 2, member: 1, viewer: 0 };

export const atLeast = (role: Role, needed: Role): boolean => RANK[role] >= RANK[needed];

/** True if the role of the person allows a route that requires this role. The server makes the final decision. */
export const useMay = (needed: Role): boolean => atLeast(useOrganization().role, needed);

/** Unfinished text stays in this tab after the session expires. A sign-out removes the text. */
export function forgetWritten(): void {
  try {
    sessionStorage.clear();
  } catch {
    // If the storage is not available, nothing was stored.
  }
}

/** No data of the previous person stays in memory. */
export async function forgetSession(): Promise<void> {
  await queryClient.cancelQueries();
  queryClient.clear();
}
