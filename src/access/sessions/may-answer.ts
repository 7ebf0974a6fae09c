import type { Role } from '../../../contract/permissions.ts';
import { invalidAt, type Refusal } from '../../../contract/problems.ts';
import { isAtLeast } from './session-gate.ts';

/** True if a member may answer end users, which a viewer may not. Null: the person is not a member. */
export const mayAnswer = (role: Role | null): boolean => role !== null && isAtLeast(role, 'member');

/** The refusal to assign a conversation to a person who may not answer. */
export const notAssignable = (pointer: string): Refusal =>
  invalidAt(pointer, 'not_allowed', 'Conversations can be assigned only to members who may answer.');
