import { Type, type Static } from 'typebox';
import { closed } from './shapes.ts';

export const WEEKLY_MAIL_LANGUAGES = ['en', 'ar'] as const;
export type WeeklyMailLanguage = (typeof WEEKLY_MAIL_LANGUAGES)[number];

/** The mail with the numbers of a week, of one member in one organization. */
export const WeeklyMailBody = Type.Object(
  {
    wanted: Type.Boolean(),
    /** It comes on Monday at eight in this zone. UTC where the database does not know the one that was sent. */
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

/** What a mail program sends to the address in List-Unsubscribe (RFC 8058): a few words that are not read. */
export const MAX_UNSUBSCRIBE_BYTES = 1024;
