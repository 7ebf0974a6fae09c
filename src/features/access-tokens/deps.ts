import type { Region } from '../../../contract/regions.ts';
import type { Digest } from '../../access/api-keys/digest.ts';
import type { Db } from '../../store/db.ts';

/** The dependencies of the verbs in this folder. */
export type AccessTokensDeps = { db: Db; region: Region; digest: Digest };

/** The acting person, and the session in which this person acts. An access token cannot create tokens. */
export type TokenMaker = { userId: string; sessionId: string; onlyOrgId: string | null; signInFactor: boolean };
