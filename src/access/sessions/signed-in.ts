import type { Person } from '../../store/accounts/accounts.ts';

/** The signed-in person and the session. */
export type SignedIn = {
  sessionId: string;
  user: Person;
  /**
   * The organization whose provider opened the session. The session has access only to this organization. Null: the
   * person signed in to their own account.
   */
  onlyOrgId: string | null;
  /**
   * True if a second factor was used or set up in this session. The provider may have checked the second factor instead
   * of Parley.
   */
  signInFactor: boolean;
  openedAt: Date;
};

/** The source of a request, which is its browser. */
export type Browser = { cookie: string | undefined; address: string; userAgent: string | undefined };
