import { REGIONS, type Region } from '../../../contract/regions.ts';
import { StartError } from '../../kernel/start-error.ts';
import type { Db } from '../../store/db.ts';
import { openInstallationRow, setSetupToken, type Installation } from '../../store/installation.ts';
import { createOwner } from './create-owner.ts';
import type { Sessions } from './sessions.ts';
import { newSetupToken, secretCheck, SETUP_MINUTES, setupDigest, setupUrl } from './setup-link.ts';

/** Before anything else at start: is this database ours, of this region, and under this secret? */
export async function openInstallation(deps: { db: Db; region: Region; setupKey: Buffer }): Promise<Installation> {
  const check = secretCheck(deps.setupKey);
  const row = await openInstallationRow(deps.db, { region: deps.region, secretCheck: check });
  if (!row.secretCheck.equals(check)) {
    throw new StartError(
      'The database was made with another PARLEY_SECRET: its API keys and credentials cannot be read with this one.',
      'Start with the PARLEY_SECRET that was used at first (an embedded installation keeps it in DATA_DIR).',
    );
  }
  if (row.region !== deps.region) {
    throw new StartError(
      `The database serves the region "${row.region}", and PARLEY_REGION says "${deps.region}".`,
      `Set PARLEY_REGION=${row.region} (${REGIONS[row.region as Region] ?? 'unknown'}), or give this region a database of its own.`,
    );
  }
  return row;
}

export type PreparedOwner = {
  /** Where the first owner is made; null when there is one. Printed once, never stored. */
  setupUrl: string | null;
  /** True when this start made the owner from PARLEY_OWNER_EMAIL and PARLEY_OWNER_PASSWORD. */
  created: boolean;
};

/** After the demo, so that its organization becomes the owner's. Every start without an owner makes a new link. */
export async function prepareOwner(deps: {
  db: Db;
  sessions: Pick<Sessions, 'hashPassword'>;
  setupKey: Buffer;
  baseUrl: string;
  installation: Installation;
  owner: { email: string; password: string } | null;
}): Promise<PreparedOwner> {
  const { db, owner } = deps;
  if (deps.installation.operatorId !== null) return { setupUrl: null, created: false };
  if (owner) {
    const passwordHash = await deps.sessions.hashPassword(owner.password);
    const name = owner.email.split('@')[0]!;
    try {
      await createOwner(db, { name, email: owner.email, passwordHash, organizationName: null }, null);
      return { setupUrl: null, created: true };
    } catch (error) {
      // Another node that started at the same moment was first.
      if (await isOwned(deps)) return { setupUrl: null, created: false };
      throw error;
    }
  }
  const token = newSetupToken();
  const isOpen = await setSetupToken(db, setupDigest(deps.setupKey, token), SETUP_MINUTES);
  return { setupUrl: isOpen ? setupUrl(deps.baseUrl, token) : null, created: false };
}

const isOwned = async ({ db, installation }: { db: Db; installation: Installation }): Promise<boolean> => {
  const row = await openInstallationRow(db, installation);
  return row.operatorId !== null;
};

/** Both steps; `demo` runs between them. */
export async function prepareInstallation(
  deps: Omit<Parameters<typeof prepareOwner>[0], 'installation'> & {
    region: Region;
    demo?: (installation: Installation) => Promise<void>;
  },
): Promise<PreparedOwner> {
  const installation = await openInstallation(deps);
  await deps.demo?.(installation);
  return prepareOwner({ ...deps, installation });
}
