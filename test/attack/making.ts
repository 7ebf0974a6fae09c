import type { Filler } from './fillers.ts';
import type { Field, Refs } from './schema-fields.ts';

/** The body that is being made: the field that is large, and the remaining limits. */
export type Making = {
  field: Field;
  filler: Filler;
  /** The remaining bytes for the whole body. */
  bytes: number;
  keys: number;
  /** 1 is the largest size. The number is less if the largest was refused. */
  scale: number;
  /** IDs of existing records, by their prefix. */
  ids: Record<string, string>;
  /** The address of a listening server. */
  address: string;
  refs: Refs;
};
