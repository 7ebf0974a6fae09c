import type { Role } from '../../../contract/permissions.ts';
import { isAtLeast } from './session-gate.ts';

/** Whether a member may answer end users. A viewer can only read. Null: not a member. */
export const mayAnswer = (role: Role | null): boolean => role !== null && isAtLeast(role, 'member');
