/** A caller's data about a person. Absent members leave the stored value unchanged, and null removes it. */
export type EndUserFields = {
  id?: string;
  external_id?: string | null;
  name?: string | null;
  phone?: string | null;
  email?: string | null;
  locale?: string | null;
  time_zone?: string | null;
  /** The attributes are merged into the stored ones. A null value removes the attribute. */
  attributes?: Record<string, unknown>;
  /** All tags. These tags replace the stored tags. */
  tags?: string[];
  blocked?: boolean;
  /**
   * The data comes from a file, which contains only text. So an attribute or a tag equals a stored one if both have the
   * same text.
   */
  from_file?: true;
};
