/** A caller's data about a person. Absent members leave the stored value unchanged, and null removes it. */
export type EndUserFields = {
  id?: string;
  external_id?: string | null;
  name?: string | null;
  phone?: string | null;
  email?: string | null;
  locale?: string | null;
  time_zone?: string | null;
  /** The new attributes are merged into the stored attributes. A null value removes the attribute. */
  attributes?: Record<string, unknown>;
  /** The complete list of tags, which replaces the stored tags. */
  tags?: string[];
  blocked?: boolean;
  /**
   * The data comes from a file, which contains only text. Attributes and tags of a file equal stored attributes and
   * tags if both have the same text.
   */
  from_file?: true;
};
