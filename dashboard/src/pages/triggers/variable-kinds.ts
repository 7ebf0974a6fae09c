import type { VariableDeclaration } from '../../../../contract/triggers.ts';

/** A copy of the contract's list, because an import would also bundle the schemas in that file. */
export type VariableKind = VariableDeclaration['type'];
const kinds: Record<VariableKind, true> = {
  string: true,
  number: true,
  integer: true,
  boolean: true,
  date: true,
  object: true,
  array: true,
};
export const VARIABLE_KINDS = Object.keys(kinds) as VariableKind[];
export const VARIABLE_NAMES = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/;
