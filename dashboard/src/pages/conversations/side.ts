/** The author of the text in the composer: the member, the person in a sandbox, or a note that only members see. */
export type Side = 'member' | 'end_user' | 'note';
