import type { RecipientInput } from '../../../contract/campaigns.ts';
import type { Fault } from '../../../contract/problems.ts';

/** One recipient of the call, or its faults. The result contains the caller's reference in both cases. */
export type RecipientInputRow = { ref: string | null } & ({ recipient: RecipientInput } | { errors: Fault[] });
