import type { Filler } from './fillers.ts';
import type { Field, Refs } from './schema-fields.ts';

/** The state of a body that is being created, which has one large field and the remaining limits. */
export type Making = {
  field: Field;
  filler: Filler;
  /** The number of bytes that remain for the whole body. */
  bytes: number;
  keys: number;
  /** The value 1 is the largest size, and the value is smaller if the server refused the largest size. */
  scale: number;
  /** The IDs of existing records, by their prefix. */
  ids: Record<string, string>;
  /** The address of a listening server. */
  address: string;
  refs: Refs;
};
