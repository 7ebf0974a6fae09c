import { Type, type Static } from 'typebox';
import { closed } from './shapes.ts';

export const WEEKLY_MAIL_LANGUAGES = ['en', 'ar'] as const;
export type WeeklyMailLanguage = (typeof WEEKLY_MAIL_LANGUAGES)[number];

/** The weekly mail with the numbers of one organization, for one member. */
export const WeeklyMailBody = Type.Object(
  {
    wanted: Type.Boolean(),
    /**
     * The mail is sent on Monday at eight in this zone. The zone is UTC if the database does not know the zone in the
     * request.
     */
    time_zone: Type.String({ format: 'time-zone', maxLength: 64 }),
    language: Type.Enum(WEEKLY_MAIL_LANGUAGES),
  },
  closed,
);
export type WeeklyMailBody = Static<typeof WeeklyMailBody>;

export const WeeklyMailRecord = Type.Object(
  {
    ...WeeklyMailBody.properties,
    time_zone: Type.String(),
    /** False: this server sends no mail. */
    sends: Type.Boolean(),
  },
  { title: 'WeeklyMail' },
);
export type WeeklyMailRecord = Static<typeof WeeklyMailRecord>;

/**
 * The maximum size of the body that a mail program sends to the List-Unsubscribe address (RFC 8058). Parley does not
 * read this body.
 */
export const MAX_UNSUBSCRIBE_BYTES = 1024;
