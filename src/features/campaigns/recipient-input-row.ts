import type { RecipientInput } from '../../../contract/campaigns.ts';
import type { Fault } from '../../../contract/problems.ts';

/**
 * One recipient of the call, or the recipient's faults. Valid and invalid recipients both contain the caller's
 * reference.
 */
export type RecipientInputRow = { ref: string | null } & ({ recipient: RecipientInput } | { errors: Fault[] });
