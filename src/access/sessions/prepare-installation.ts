import { Refusal } from '../../../contract/problems.ts';
import { REGIONS, type Region } from '../../../contract/regions.ts';
import { acceptedKeys } from '../../kernel/seal.ts';
import { StartError } from '../../kernel/start-error.ts';
import type { Db } from '../../store/db.ts';
import {
  type Installation,
  isSetupLinkShown,
  nextSetupEnd,
  openInstallationRow,
  setSetupToken,
} from '../../store/installation/installation.ts';
import { createOwner } from './create-owner.ts';
import type { Sessions } from './sessions.ts';
import { secretCheck, SETUP_MINUTES, setupDigest, setupToken, setupUrl } from './setup-link.ts';

export const otherSecret = (): StartError =>
  new StartError(
    'The database was created with another PARLEY_SECRET, so its API keys and credentials cannot be read with the current one.',
    'Start with the original PARLEY_SECRET (an embedded installation keeps it in DATA_DIR). If the secret was rotated since then, for example after a restore, set PARLEY_SECRET_PREVIOUS to the original secret, and run "./parley secrets rotate".',
  );

/**
 * The first step of a start. The first step checks that the database belongs to Parley, to this region, and to this
 * secret.
 */
export async function openInstallation(deps: { db: Db; region: Region; setupKey: Buffer }): Promise<Installation> {
  const check = secretCheck(deps.setupKey);
  const row = await openInstallationRow(deps.db, { region: deps.region, secretCheck: check });
  if (!acceptedKeys(deps.setupKey).some((key) => row.secretCheck.equals(secretCheck(key)))) {
    throw otherSecret();
  }
  if (row.region !== deps.region) {
    throw new StartError(
      `The database serves the region "${row.region}", and PARLEY_REGION says "${deps.region}".`,
      `Set PARLEY_REGION=${row.region} (${REGIONS[row.region as Region] ?? 'unknown'}), or create another database for this region.`,
    );
  }
  return row;
}

export type PreparedOwner = {
  /**
   * The URL for creating the first owner. Null when the installation has an owner. Parley prints the URL once and never
   * stores it.
   */
  setupUrl: string | null;
  /** True if this start created the owner from PARLEY_OWNER_EMAIL and PARLEY_OWNER_PASSWORD. */
  created: boolean;
};

/**
 * Call this function after the demo was created, so that the demo's organization becomes the owner's. A start without
 * an owner creates a new link, unless other nodes are running, because their operator may be about to open the link
 * that these nodes have shown.
 */
export async function prepareOwner(deps: {
  db: Db;
  sessions: Pick<Sessions, 'hashPassword'>;
  setupKey: Buffer;
  baseUrl: string;
  installation: Installation;
  owner: { email: string; password: string } | null;
  /** False: this process does not show a link, so it creates no link. */
  showsLink?: boolean;
}): Promise<PreparedOwner> {
  const { db, owner } = deps;
  if (deps.installation.operatorId !== null) return { setupUrl: null, created: false };
  if (owner) {
    const name = owner.email.split('@')[0]!;
    const passwordHash = await deps.sessions.hashPassword(owner.password, [name, owner.email]).catch(tooCommon);
    try {
      await createOwner(db, { name, email: owner.email, passwordHash, organizationName: null }, null);
      return { setupUrl: null, created: true };
    } catch (error) {
      // Another node that started at the same time created the owner first.
      if (await isOwned(deps)) return { setupUrl: null, created: false };
      throw error;
    }
  }
  if (deps.showsLink === false) return { setupUrl: null, created: false };
  const token = (await shownToken(deps)) ?? (await makeToken(deps));
  return { setupUrl: token === null ? null : setupUrl(deps.baseUrl, token), created: false };
}

/** Reports a fault of the configuration, because no form field exists next to which the refusal could appear. */
function tooCommon(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'validation_failed') throw error;
  throw new StartError(
    'PARLEY_OWNER_PASSWORD is a common password, or contains the name or address of the owner.',
    'Choose one that is hard to guess: four unrelated words, for example.',
    { cause: error },
  );
}

type LinkDeps = { db: Db; setupKey: Buffer; installation: Installation };

async function shownToken({ db, setupKey, installation }: LinkDeps): Promise<string | null> {
  if (installation.setupExpiresAt === null || !(await isSetupLinkShown(db))) return null;
  const token = setupToken(setupKey, installation.setupExpiresAt);
  return installation.setupDigest?.equals(setupDigest(setupKey, token)) ? token : null;
}

async function makeToken({ db, setupKey }: LinkDeps): Promise<string | null> {
  const until = await nextSetupEnd(db, SETUP_MINUTES);
  const token = setupToken(setupKey, until);
  return (await setSetupToken(db, setupDigest(setupKey, token), until)) ? token : null;
}

const isOwned = async ({ db, installation }: { db: Db; installation: Installation }): Promise<boolean> => {
  const row = await openInstallationRow(db, installation);
  return row.operatorId !== null;
};
