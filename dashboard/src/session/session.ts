import { useSuspenseQuery } from '@tanstack/react-query';
import type { SessionView } from '../../../contract/dashboard/sign-in.ts';
import type { Role } from '../../../contract/permissions.ts';
import { queryClient, readOptions } from '../api/queries.ts';
import { preferences, setPreferences, usePreferences } from '../preferences.ts';

/** Who is signed in, and the organization they work in. Plan and role may change while one looks: read again. */
export const sessionOptions = { ...readOptions('readSession', {}), staleTime: 15_000, refetchInterval: 30_000 };

export const useSession = (): SessionView => useSuspenseQuery(sessionOptions).data;

export type Organization = SessionView['organizations'][number];

/** The selected organization; null for a person who is a member of none. */
export function useMaybeOrganization(): Organization | null {
  const { organizations } = useSession();
  const { organization } = usePreferences();
  return organizations.find(({ id }) => id === organization) ?? organizations[0] ?? null;
}

/** Inside the shell there is always one: the shell shows another page to people without. */
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

/** Whether the person may do what the route table asks this role for. The server makes the final decision. */
export const useMay = (needed: Role): boolean => atLeast(useOrganization().role, needed);

/** What was half written is kept in this tab over the end of a session; a sign-out removes it. */
export function forgetWritten(): void {
  try {
    sessionStorage.clear();
  } catch {
    // Without storage nothing was kept.
  }
}

/** Nothing of the last person stays in memory. */
export async function forgetSession(): Promise<void> {
  await queryClient.cancelQueries();
  queryClient.clear();
}
