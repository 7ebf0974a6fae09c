import type { SetupBody } from '../../../contract/dashboard/sign-in.ts';
import { Refusal } from '../../../contract/problems.ts';
import { createOwner } from '../../access/sessions/create-owner.ts';
import { setupDigest } from '../../access/sessions/setup-link.ts';
import { isUniqueViolation } from '../../store/db.ts';
import { isSetupTokenGood } from '../../store/installation/installation.ts';
import type { OrganizationsDeps } from './deps.ts';

/** Creates the first owner through the setup link. An invalid token must not make the server hash a password. */
export async function setUp(
  { db, sessions, setupKey }: OrganizationsDeps,
  body: SetupBody,
  from: { address: string; requestId: string },
): Promise<void> {
  const digest = setupDigest(setupKey, body.token);
  if (!(await isSetupTokenGood(db, digest))) throw new Refusal('setup_closed');
  const passwordHash = await sessions.hashPassword(body.password, [body.name, body.email]);
  const { name, email, organization_name: organizationName, time_zone: timeZone = null } = body;
  const owner = { name, email, passwordHash, organizationName, timeZone, from };
  await createOwner(db, owner, digest).catch((error: unknown) => {
    throw isUniqueViolation(error) ? new Refusal('setup_closed') : error;
  });
}
