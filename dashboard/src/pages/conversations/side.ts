/** The author of the text in the composer, which is the member, the person in a sandbox, or a member with a note. */
export type Side = 'member' | 'end_user' | 'note';
